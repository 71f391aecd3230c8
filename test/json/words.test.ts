import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../core/json/index.js';

const words = fc.array(
  fc.oneof(fc.string({ maxLength: 70, unit: 'grapheme' }), fc.constantFrom('ready', 'reedy', 'é')),
);

it('returns of every string what it decodes to, whatever was read before', () => {
  fc.assert(
    fc.property(words, (texts) => {
      const bytes = Buffer.from(JSON.stringify([...texts, ...texts, 1, null]).replaceAll('e', '\\u0065'));
      const plain = Buffer.from(JSON.stringify([...texts, ...texts, 1, null]));
      for (const document of [bytes, plain]) {
        const nodes = parseJson(document, { file: 'words' }).items();
        expect(nodes.map((node) => node.word())).toEqual(nodes.map((node) => node.string()));
      }
    }),
  );
});

it('keeps no view of the bytes that a word was read from', () => {
  const bytes = Buffer.from('["a word of its own"]');
  const [node] = parseJson(bytes, { file: 'words' }).items();
  expect(node?.word()).toBe('a word of its own');
  bytes.fill(0x78, 2, 10);
  expect(node?.word()).toBe(`xxxxxxxx${'a word of its own'.slice(8)}`);
});
