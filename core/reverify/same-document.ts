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
  for (;;) {
    const spaceFrom = r;
    while (l < left.length && isSpace(left[l] ?? 0)) l++;
    while (r < right.length && isSpace(right[r] ?? 0)) r++;
    if (l === left.length || r === right.length) return l === left.length && r === right.length;
    // White space within a number or a name would make the line no JSON, and these no tokens.
    if (r > spaceFrom && spaceFrom > 0 && !isMark(right[spaceFrom - 1] ?? 0) && !isMark(right[r] ?? 0)) return false;
    const byte = left[l] ?? 0;
    if (byte !== right[r]) return false;
    const length = byte === QUOTE ? sameString({ left, right }, { l, r }) : 1;
    if (length === 0) return false;
    l += length;
    r += length;
  }
}

/** The length of the string that begins at both places, quotes included; 0 when it is not the same. */
function sameString(
  { left, right }: { readonly left: Uint8Array; readonly right: Uint8Array },
  { l, r }: { readonly l: number; readonly r: number },
): number {
  for (let at = 1; l + at < left.length; at++) {
    const byte = left[l + at] ?? 0;
    if (byte !== right[r + at]) return 0;
    if (byte === QUOTE) return at + 1;
    // Whatever is escaped stands behind it, a quote above all.
    if (byte === BACKSLASH && left[l + ++at] !== right[r + at]) return 0;
  }
  return 0;
}

function isSpace(byte: number): boolean {
  return byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

/** A byte beside which white space may stand: a bracket, a colon or a comma. */
function isMark(byte: number): boolean {
  return byte === 0x7b || byte === 0x7d || byte === 0x5b || byte === 0x5d || byte === 0x3a || byte === 0x2c;
}
