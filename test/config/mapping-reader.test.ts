import { expect, test } from 'vitest';
import { Faults, MappingReader, parseYaml } from '../../core/config/index.js';
import { codeOf } from '../support/code-of.js';

const PIN = '1234567890'.repeat(6).concat('1234');

/** Reads `name`, `count` and `tags` of a document, as a configuration parser does. */
function read(text: string): { name: string; count: number; limit: number | null; tags: readonly string[] } {
  const faults = new Faults();
  const { root } = parseYaml(new TextEncoder().encode(text), { file: 'a.yaml' });
  const reader = new MappingReader(root, { what: 'a thing', keys: ['name', 'count', 'limit', 'tags'], faults });
  const result = {
    name: reader.string('name'),
    count: reader.integer('count'),
    limit: reader.optionalInteger('limit', { least: 1 }),
    tags: reader.strings(reader.sequence('tags'), 'tags'),
  };
  faults.settle();
  return result;
}

test('returns the values when nothing is wrong', () => {
  expect(read('name: x\ncount: 2\ntags: [a, b]')).toEqual({ name: 'x', count: 2, limit: null, tags: ['a', 'b'] });
});

test.each([
  ['an unknown key', 'name: x\ncount: 2\ntags: []\nnmae: y', 'config-unknown-key', 4, 1],
  ['an unknown __proto__', 'name: x\ncount: 2\ntags: []\n__proto__: {name: y}', 'config-unknown-key', 4, 1],
  ['a missing key', 'count: 2\ntags: []', 'config-missing-key', 1, 1],
  ['a null where a value is required', 'name:\ncount: 2\ntags: []', 'config-missing-key', 1, 1],
  ['a list instead of the mapping', '[name, count]', 'config-type', 1, 1],
  ['an unquoted pin of 64 digits', `name: ${PIN}\ncount: 2\ntags: []`, 'config-type', 1, 7],
  ['an empty string', 'name: ""\ncount: 2\ntags: []', 'config-value', 1, 7],
  ['a quoted integer', 'name: x\ncount: "2"\ntags: []', 'config-type', 2, 8],
  ['a fraction', 'name: x\ncount: 2.0\ntags: []', 'config-type', 2, 8],
  ['a hexadecimal integer', 'name: x\ncount: 0x2\ntags: []', 'config-type', 2, 8],
  ['an integer past 2^53', 'name: x\ncount: 9007199254740993\ntags: []', 'config-type', 2, 8],
  ['an integer that is too small', 'name: x\ncount: 2\nlimit: 0\ntags: []', 'config-value', 3, 8],
  ['a string instead of a list', 'name: x\ncount: 2\ntags: a', 'config-type', 3, 7],
  ['a boolean among strings', 'name: x\ncount: 2\ntags: [a, true]', 'config-type', 3, 11],
])('refuses %s', (_, text, code, line, column) => {
  expect(codeOf(() => read(text))).toMatchObject({ code, blame: 'configuration', file: 'a.yaml', line, column });
});

test('says every fault at once, first in file order', () => {
  const refusal = codeOf(() => read('tags: a\nextra: 1\nname: 7'));
  expect(refusal).toMatchObject({ code: 'config-missing-key', line: 1, column: 1 });
  for (const word of ['count', 'tags', 'extra', 'name']) expect(refusal.message).toContain(word);
});

test('shows a pin as it was written, and how to quote it', () => {
  const refusal = codeOf(() => read(`name: ${PIN}\ncount: 1\ntags: []`));
  expect(refusal.message).toContain(PIN);
  expect(refusal.remedy).toContain(`"${PIN}"`);
});

test.each([
  ['nmae: x\ncount: 2\ntags: []', '"name"', 1],
  ['name: x\ncuont: 2\ntags: []', '"count"', 2],
  ['name: x\ncount: 2\ntags: []\nlimits: 3', '"limit"', 4],
])('names the key that is meant, and not that it is missing: %j', (text, meant, line) => {
  const refusal = codeOf(() => read(text));
  expect(refusal).toMatchObject({ code: 'config-unknown-key', line, column: 1 });
  expect(refusal.message.match(/"[a-z]+"/g)).toContain(meant);
  expect(refusal.message).not.toContain('; line');
});

test('means no key that is there already', () => {
  expect(codeOf(() => read('name: x\nnames: y\ncount: 2\ntags: []')).message).not.toContain('mean');
});
