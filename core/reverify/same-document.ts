import { hashOf, parseJson } from '../json/index.js';
import { GateError } from '../model/errors.js';

/** How a line of the index stands to the envelope that it should be; `unreadable` with the reason. */
export type LineVerdict = 'same' | 'differs' | { readonly unreadable: string };

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;

/**
 * Compares an index line with an envelope that was read strictly: the same document is one with the same canonical bytes
 * (contract 10). Most lines are the envelope without its white space, and then neither is parsed again.
 */
export function compareDocuments(envelope: Uint8Array, line: Uint8Array): LineVerdict {
  if (isUnbroken(envelope, line) || sameTokens(envelope, line)) return 'same';
  try {
    const indexed = hashOf(parseJson(line, { file: 'invocations.jsonl' }), 'dd-envelope-json-v1');
    const stored = hashOf(parseJson(envelope, { file: 'envelope.json' }), 'dd-envelope-json-v1');
    return indexed === stored ? 'same' : 'differs';
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    return { unreadable: error.message };
  }
}

/**
 * Whether the line is the envelope without its line breaks and what indents its lines. A string of JSON holds no line
 * break, so that one stands between tokens, and so does the white space behind it.
 */
export function isUnbroken(envelope: Uint8Array, line: Uint8Array): boolean {
  const left = new DataView(envelope.buffer, envelope.byteOffset, envelope.byteLength);
  const right = new DataView(line.buffer, line.byteOffset, line.byteLength);
  const leftEnd = envelope.length;
  const rightEnd = line.length;
  let l = 0;
  let r = 0;
  for (;;) {
    while (l + 4 <= leftEnd && r + 4 <= rightEnd && left.getInt32(l) === right.getInt32(r)) {
      l += 4;
      r += 4;
    }
    while (l < leftEnd && r < rightEnd && envelope[l] === line[r]) {
      l++;
      r++;
    }
    if (l === leftEnd) return r === rightEnd;
    if (envelope[l] !== LINE_FEED) return false;
    while (l < leftEnd && isSpace(envelope[l] as number)) l++;
  }
}

/** Whether two texts are the same but for white space between tokens; the left one must be JSON, and then both are. */
export function sameTokens(left: Uint8Array, right: Uint8Array): boolean {
  const strings = new StringPair(left, right);
  const leftEnd = left.length;
  const rightEnd = right.length;
  let l = 0;
  let r = 0;
  for (;;) {
    while (l < leftEnd && isSpace(left[l] as number)) l++;
    if (r < rightEnd && isSpace(right[r] as number)) {
      const from = r;
      while (r < rightEnd && isSpace(right[r] as number)) r++;
      // White space within a number or a name would make the line no JSON, and these no tokens.
      const within = from > 0 && r < rightEnd && l < leftEnd;
      if (within && !isMark(right[from - 1] as number) && !isMark(right[r] as number)) return false;
    }
    if (l === leftEnd || r === rightEnd) return l === leftEnd && r === rightEnd;
    const byte = left[l] as number;
    if (byte !== right[r]) return false;
    const length = byte === QUOTE ? strings.sameFrom(l, r) : 1;
    if (length === 0) return false;
    l += length;
    r += length;
  }
}

/** Compares strings of two texts, four bytes at a time: most of a document is strings. */
class StringPair {
  readonly #left: Uint8Array;
  readonly #right: Uint8Array;
  readonly #leftQuads: DataView;
  readonly #rightQuads: DataView;

  constructor(left: Uint8Array, right: Uint8Array) {
    this.#left = left;
    this.#right = right;
    this.#leftQuads = new DataView(left.buffer, left.byteOffset, left.byteLength);
    this.#rightQuads = new DataView(right.buffer, right.byteOffset, right.byteLength);
  }

  /** The length of the string that begins at both places, quotes included; 0 when it is not the same. */
  sameFrom(l: number, r: number): number {
    const left = this.#left;
    const right = this.#right;
    const most = Math.min(left.length - l, right.length - r);
    for (let at = 1; at < most; ) {
      while (at + 4 <= most) {
        const quad = this.#leftQuads.getInt32(l + at);
        if (quad !== this.#rightQuads.getInt32(r + at) || endsOrEscapes(quad)) break;
        at += 4;
      }
      if (at >= most) return 0;
      const byte = left[l + at] as number;
      if (byte !== right[r + at]) return 0;
      at++;
      if (byte === QUOTE) return at;
      // Whatever is escaped stands behind it, a quote above all.
      if (byte === BACKSLASH && (at === most || left[l + at] !== right[r + at])) return 0;
      if (byte === BACKSLASH) at++;
    }
    return 0;
  }
}

/** Whether one of four bytes is a quote or a backslash; a hit may add others above it, which only costs time. */
function endsOrEscapes(quad: number): boolean {
  const quote = quad ^ 0x22222222;
  const backslash = quad ^ 0x5c5c5c5c;
  return ((((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash)) & 0x80808080) !== 0;
}

function isSpace(byte: number): boolean {
  return byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

/** A byte beside which white space may stand: a bracket, a colon or a comma. */
function isMark(byte: number): boolean {
  return byte === 0x7b || byte === 0x7d || byte === 0x5b || byte === 0x5d || byte === 0x3a || byte === 0x2c;
}
