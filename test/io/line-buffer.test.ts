import { describe, expect, it } from 'vitest';
import { LineBuffer } from '../../core/io/line-buffer.js';

describe('LineBuffer', () => {
  it.each<[string, number, readonly string[], readonly string[]]>([
    ['the line when it comes in pieces', 8, ['ab', 'c', 'd\n'], ['partial', 'partial', 'line']],
    ['two lines when each ends its chunk', 8, ['ab\n', 'cd\n'], ['line', 'line']],
    ['an empty line', 8, ['\n'], ['line']],
    ['surplus when something follows the line feed', 8, ['ab\ncd'], ['surplus']],
    ['too-large when a line reaches the limit', 4, ['abc', 'd'], ['partial', 'too-large']],
    ['too-large when the chunk that ends the line brings it there', 4, ['abcd\n'], ['too-large']],
    ['a line of one byte below the limit', 4, ['abc\n'], ['line']],
  ])('returns %s', (_, limit, chunks, kinds) => {
    const buffer = new LineBuffer(limit);
    expect(chunks.map((chunk) => buffer.push(Buffer.from(chunk)).kind)).toEqual(kinds);
  });

  it('joins the pieces of a line and begins anew after it', () => {
    const buffer = new LineBuffer(8);
    buffer.push(Buffer.from('ab'));
    expect(buffer.size).toBe(2);
    const read = buffer.push(Buffer.from('c\n'));
    expect(read.kind === 'line' && Buffer.from(read.line).toString()).toBe('abc');
    expect(buffer.size).toBe(0);
  });
});
