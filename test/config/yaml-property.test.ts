import fc from 'fast-check';
import { CORE_SCHEMA, load, realMapTag } from 'js-yaml';
import { expect, test } from 'vitest';
import { parseYaml, type YamlNode } from '../../core/config/index.js';
import { GateError } from '../../core/model/errors.js';

const TOKENS = [
  ...[
    '- ',
    ': ',
    '? ',
    ', ',
    '[',
    ']',
    '{',
    '}',
    '\n',
    '\n  ',
    '\n    ',
    '&a ',
    '&b ',
    '*a',
    '*b',
    '!!str ',
    '!!map ',
    '!x ',
  ],
  ...[
    'k',
    'k: ',
    'l: ',
    '1',
    '1.5',
    '~',
    'true',
    '"q"',
    "'s'",
    '"\\ud83d"',
    '|\n',
    '>-\n',
    ' # c\n',
    '---\n',
    '...\n',
    '__proto__: ',
    '\t',
  ],
];

/** A tree as js-yaml would have made it. */
function built(node: YamlNode): unknown {
  if (node.kind === 'sequence') return node.items.map(built);
  if (node.kind === 'mapping') return new Map([...node.entries].map(([key, entry]) => [key, built(entry.value)]));
  return node.value;
}

function readOrCode(text: string): { readonly tree: YamlNode } | { readonly code: string } {
  try {
    return { tree: parseYaml(new TextEncoder().encode(text), { file: 'a' }).root };
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    return { code: error.code };
  }
}

test('reads what js-yaml reads and refuses everything else with a code of its own', () => {
  let read = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...TOKENS), { maxLength: 14 }), (tokens) => {
      const text = tokens.join('');
      const result = readOrCode(text);
      if ('code' in result) {
        expect(result.code).toMatch(/^yaml-/);
        return;
      }
      read += 1;
      expect(built(result.tree)).toEqual(load(text, { schema: CORE_SCHEMA.withTags(realMapTag) }));
    }),
    { numRuns: 5000 },
  );
  // Not merely a test of refusals.
  expect(read).toBeGreaterThan(500);
});
