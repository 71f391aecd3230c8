import { expect, test } from 'vitest';
import { derivationLabels } from '../../core/html/derivations.js';
import { parseJson } from '../../core/json/index.js';

test('finds the labels of a payload at any depth, in their order, and nothing else that is named like one', () => {
  const payload = `{"reply_text": "x", "reply_derivation": "model", "list": [{"a": 1}, {"deep_derivation": "lexical"}],
    "x_derivation": "other", "y_derivation": 5, "__proto__": {"z_derivation": "registry"}}`;
  expect(derivationLabels(parseJson(Buffer.from(payload), { file: 'x' }))).toEqual([
    { field: 'reply', how: 'model', recordedIn: 'reply_derivation' },
    { field: 'list[1].deep', how: 'lexical', recordedIn: 'list[1].deep_derivation' },
    { field: '__proto__.z', how: 'registry', recordedIn: '__proto__.z_derivation' },
  ]);
});

test('stops after a hundred, and takes nesting as deep as the reader does', () => {
  const many = `{${Array.from({ length: 5000 }, (_, at) => `"k${at}_derivation": "model"`).join(',')}}`;
  expect(derivationLabels(parseJson(Buffer.from(many), { file: 'x' }))).toHaveLength(100);
  const deep = `${'{"a":'.repeat(900)}{"b_derivation": "model"}${'}'.repeat(900)}`;
  expect(derivationLabels(parseJson(Buffer.from(deep), { file: 'x' }))).toHaveLength(1);
});
