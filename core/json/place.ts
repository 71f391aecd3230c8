import type { Place } from '../model/violation.js';
import { utf8Text } from './strings.js';

/** Where a document stands: its file, and the line number of its first byte when it is one line of many. */
export interface Origin {
  readonly file: string;
  readonly firstLine: number;
}

/** Line and column (from 1, in UTF-16 units) of a byte offset within a document that begins at `from`. */
export function placeOf(
  bytes: Uint8Array,
  at: { readonly from: number; readonly offset: number; readonly origin: Origin },
): Place {
  let line = at.origin.firstLine;
  let lineStart = at.from;
  for (;;) {
    const feed = bytes.indexOf(0x0a, lineStart);
    if (feed === -1 || feed >= at.offset) break;
    line++;
    lineStart = feed + 1;
  }
  const column = utf8Text(bytes, { from: lineStart, to: at.offset }).length + 1;
  return { file: at.origin.file, line, column };
}
