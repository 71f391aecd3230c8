import { isUtf8 } from 'node:buffer';
import { gateError } from '../model/error-codes.js';

const BYTE_ORDER_MARKS: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ['a UTF-8 byte order mark', [0xef, 0xbb, 0xbf]],
  ['a UTF-16 byte order mark', [0xff, 0xfe]],
  ['a UTF-16 byte order mark', [0xfe, 0xff]],
];

const LINE_FEED = 0x0a;

/**
 * Decodes a configuration file's bytes, strictly (contract 1): throws `yaml-encoding` for a byte order mark
 * and for bytes that are not UTF-8, with the line and column of the first such byte.
 */
export function decodeText(bytes: Uint8Array, file: string): string {
  const mark = BYTE_ORDER_MARKS.find(([, start]) => start.every((byte, at) => bytes[at] === byte));
  if (mark !== undefined) throw notUtf8(`the file begins with ${mark[0]}`, { file, line: 1, column: 1 });
  if (!isUtf8(bytes)) throw notUtf8('the file is not UTF-8', firstBadByte(bytes, file));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function notUtf8(message: string, place: { file: string; line: number; column: number }): Error {
  return gateError('yaml-encoding', {
    blame: 'configuration',
    message,
    place,
    remedy: 'save it as UTF-8 without a byte order mark',
  });
}

function firstBadByte(bytes: Uint8Array, file: string): { file: string; line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
    if (!isUtf8(bytes.subarray(start, end))) break;
    line += 1;
    start = end + 1;
  }
  return { file, line, column: 1 + charactersBeforeBadByte(bytes.subarray(start)) };
}

// A decoder in streaming mode holds back an unfinished sequence and throws at the byte that cannot follow.
function charactersBeforeBadByte(bytes: Uint8Array): number {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let characters = 0;
  try {
    for (let at = 0; at < bytes.length; at += 1)
      characters += decoder.decode(bytes.subarray(at, at + 1), { stream: true }).length;
  } catch {
    return characters;
  }
  return characters;
}
