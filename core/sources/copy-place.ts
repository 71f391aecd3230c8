import type { Place } from '../model/violation.js';
import type { OpenCopy } from './ports.js';

const LINE_FEED = 0x0a;
const BLOCK_BYTES = 1 << 20;

/**
 * Line and column of a byte offset in a copy, by reading it again from its start: only a refusal pays for this, and
 * the index need not keep a line number for each record.
 */
export function placeInCopy(copy: OpenCopy, at: { readonly label: string; readonly offset: number }): Place {
  const block = new Uint8Array(BLOCK_BYTES);
  let line = 1;
  let lineStart = 0;
  forEachBlock({ copy, block, from: 0, to: at.offset }, (bytes, start) => {
    for (let feed = bytes.indexOf(LINE_FEED); feed !== -1; feed = bytes.indexOf(LINE_FEED, feed + 1)) {
      line += 1;
      lineStart = start + feed + 1;
    }
  });
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let column = 1;
  forEachBlock({ copy, block, from: lineStart, to: at.offset }, (bytes) => {
    column += decoder.decode(bytes, { stream: true }).length;
  });
  return { file: at.label, line, column: column + decoder.decode().length };
}

interface Blocks {
  readonly copy: OpenCopy;
  readonly block: Uint8Array;
  readonly from: number;
  readonly to: number;
}

function forEachBlock({ copy, block, from, to }: Blocks, visit: (bytes: Uint8Array, start: number) => void): void {
  let at = from;
  while (at < to) {
    const count = copy.read(block.subarray(0, Math.min(block.length, to - at)), at);
    if (count === 0) return;
    visit(block.subarray(0, count), at);
    at += count;
  }
}
