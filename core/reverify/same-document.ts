import { hashOf, parseJson } from '../json/index.js';
import { GateError } from '../model/errors.js';

/** How a line of the index stands to the envelope that it should be; `unreadable` with the reason. */
export type LineVerdict = 'same' | 'differs' | { readonly unreadable: string };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Compares an index line with an envelope that was read strictly: the same document is one with the same canonical bytes
 * (contract 10). Most lines are the envelope without its white space, and then neither is parsed again.
 */
export function compareDocuments(envelope: Uint8Array, line: Uint8Array): LineVerdict {
  if (sameTokens(envelope, line)) return 'same';
  try {
    const indexed = hashOf(parseJson(line, { file: 'invocations.jsonl' }), 'dd-envelope-json-v1');
    const stored = hashOf(parseJson(envelope, { file: 'envelope.json' }), 'dd-envelope-json-v1');
    return indexed === stored ? 'same' : 'differs';
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    return { unreadable: error.message };
  }
}

/** Whether two texts are the same but for white space between tokens; the left one must be JSON, and then both are. */
export function sameTokens(left: Uint8Array, right: Uint8Array): boolean {
  let l = 0;
  let r = 0;
  let inString = false;
  for (;;) {
    if (!inString) {
      const from = r;
      while (isSpace(left[l])) l++;
      while (isSpace(right[r])) r++;
      // White space within a number or a name would make the line no JSON, and these no tokens.
      if (r > from && from > 0 && !isMark(right[from - 1]) && !isMark(right[r])) return false;
    }
    const byte = left[l];
    if (byte !== right[r]) return false;
    if (byte === undefined) return true;
    if (byte === BACKSLASH && inString) {
      if (left[l + 1] !== right[r + 1]) return false;
      l++;
      r++;
    } else if (byte === QUOTE) inString = !inString;
    l++;
    r++;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** A byte beside which white space may stand: a bracket, a colon, a comma, or the end. */
function isMark(byte: number | undefined): boolean {
  switch (byte) {
    case undefined:
    case 0x7b:
    case 0x7d:
    case 0x5b:
    case 0x5d:
    case 0x3a:
    case 0x2c:
      return true;
    default:
      return false;
  }
}
