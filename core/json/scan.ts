import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  MINUS,
  NINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  ZERO,
} from './ascii.js';
import { anyDuplicate, compareKeys } from './keys.js';
import { ScanFailure } from './scan-failure.js';
import { ShapeCache } from './shape-cache.js';
import { asciiText, hexDigit } from './strings.js';
import {
  ASCENDING,
  COUNT_SHIFT,
  END,
  ESCAPED,
  FLAGS,
  FRACTIONAL,
  MAX_DEPTH,
  MAX_INTEGER_DIGITS,
  MAX_NODES,
  NEXT,
  START,
  STRIDE,
} from './tape.js';

/** Tapes of small documents share chunks of this many words, so that a document costs no allocation of its own. */
const CHUNK_WORDS = 4 * 1024 * STRIDE;
/** What is left of a chunk below this is not worth beginning a document in. */
const SCRAP_WORDS = 64 * STRIDE;

/**
 * Reads strict JSON documents (contract 1) from byte ranges into a tape. It keeps no recursion on input depth and
 * makes no object per node, so that a pass costs little more than the read. The bytes must already be known to be UTF-8.
 */
export class Scanner {
  /** The tape of the last scan; the next scan reuses it unless `keep` is called. */
  words: Int32Array = new Int32Array(CHUNK_WORDS);
  /** Where the next document's tape begins. */
  #base = 0;
  /** Where the last document's tape ends. */
  #top = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #end = 0;
  /** The memory of `#bytes` as aligned 32-bit words, and the distance of its first byte from the first word. */
  #quads: Int32Array = new Int32Array(0);
  #shift = 0;
  /** Node of the container open at each depth. */
  readonly #open = new Int32Array(MAX_DEPTH + 1);
  /** Members or elements seen so far in the container open at each depth. */
  readonly #counts = new Int32Array(MAX_DEPTH + 1);
  /** The last key of the object open at each depth. */
  readonly #lastKey = new Int32Array(MAX_DEPTH + 1);
  /** 1 while the keys of the object open at each depth ascend. */
  readonly #ascending = new Uint8Array(MAX_DEPTH + 1);
  readonly #shapes = new ShapeCache<true>();
  #flags = 0;

  /** Makes the tape of the last scan the document's own; later scans write elsewhere. */
  keep(): void {
    this.#base = this.#top;
    if (this.words.length - this.#base >= SCRAP_WORDS && this.words.length === CHUNK_WORDS) return;
    this.words = new Int32Array(CHUNK_WORDS);
    this.#base = 0;
  }

  /**
   * Scans `bytes[from, to)`; returns the root's tape index. Throws `ScanFailure`. With `open`, other documents may
   * follow: the scan ends behind the first, and what comes after is the caller's to judge.
   */
  scan(bytes: Uint8Array, range: { readonly from: number; readonly to: number; readonly open?: boolean }): number {
    const end = range.to;
    this.#view(bytes, end);
    let words = this.words;
    let node = this.#base;
    let depth = 0;
    let p = this.#skipSpace(range.from);
    if (p >= end) throw new ScanFailure('json-empty', p, 'nothing but white space');

    for (;;) {
      // A value is due at p; after it, containers that it completes are closed below.
      if (node + STRIDE * 2 > words.length) {
        node = this.#grow(node, depth);
        words = this.words;
      }
      const c = p < end ? (bytes[p] as number) : -1;
      words[node + START] = p;
      if (c === QUOTE) {
        const after = this.#string(p);
        words[node + END] = after;
        words[node + NEXT] = node + STRIDE;
        words[node + FLAGS] = this.#flags;
        node += STRIDE;
        p = after;
      } else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
        if (depth === MAX_DEPTH) throw new ScanFailure('json-depth', p, `more than ${MAX_DEPTH} levels of nesting`);
        depth++;
        this.#open[depth] = node;
        this.#counts[depth] = 0;
        this.#ascending[depth] = 1;
        this.#lastKey[depth] = -1;
        const object = c === OPEN_OBJECT;
        node += STRIDE;
        p = this.#skipSpace(p + 1);
        const next = p < end ? bytes[p] : -1;
        if (next !== (object ? CLOSE_OBJECT : CLOSE_ARRAY)) {
          if (object) {
            p = this.#key(p, { node, depth });
            node += STRIDE;
          }
          continue;
        }
      } else {
        const after = this.#scalar(p, c);
        words[node + END] = after;
        words[node + NEXT] = node + STRIDE;
        words[node + FLAGS] = this.#flags;
        node += STRIDE;
        p = after;
      }

      // After a value, or at the closing bracket of an empty container.
      for (;;) {
        if (depth === 0 && range.open === true) {
          this.#top = node;
          return this.#base;
        }
        p = this.#skipSpace(p);
        if (depth === 0) {
          if (p < end) throw new ScanFailure('json-trailing', p, 'something follows the document');
          this.#top = node;
          return this.#base;
        }
        const container = this.#open[depth] as number;
        const object = bytes[words[container + START] as number] === OPEN_OBJECT;
        const d = p < end ? (bytes[p] as number) : -1;
        const empty = node === container + STRIDE;
        if (!empty) this.#counts[depth] = (this.#counts[depth] as number) + 1;
        if (d === COMMA && !empty) {
          p = this.#skipSpace(p + 1);
          if (object) {
            if (node + STRIDE * 2 > words.length) {
              node = this.#grow(node, depth);
              words = this.words;
            }
            p = this.#key(p, { node, depth });
            node += STRIDE;
          }
          break;
        }
        if (d !== (object ? CLOSE_OBJECT : CLOSE_ARRAY)) throw this.#expected(p, object ? "',' or '}'" : "',' or ']'");
        p++;
        words[container + END] = p;
        words[container + NEXT] = node;
        const count = this.#counts[depth] as number;
        words[container + FLAGS] = (count << COUNT_SHIFT) | (object && this.#ascending[depth] === 1 ? ASCENDING : 0);
        if (object && this.#ascending[depth] === 0) this.#refuseDuplicates(container);
        depth--;
      }
    }
  }

  #view(bytes: Uint8Array, end: number): void {
    this.#end = end;
    // The documents of one file share their bytes.
    if (bytes === this.#bytes) return;
    this.#bytes = bytes;
    this.#shift = bytes.byteOffset & 3;
    const from = bytes.byteOffset - this.#shift;
    if (this.#quads.buffer === bytes.buffer && this.#quads.byteOffset === from) return;
    this.#quads = new Int32Array(bytes.buffer, from, (bytes.buffer.byteLength - from) >> 2);
  }

  /** Moves the unfinished document to a larger tape of its own; returns the moved node index. */
  #grow(node: number, depth: number): number {
    const base = this.#base;
    const used = node - base;
    if (used >= MAX_NODES * STRIDE) throw new ScanFailure('json-too-large', 0, `more than ${MAX_NODES} values`);
    const larger = new Int32Array(Math.max(CHUNK_WORDS, used * 2));
    larger.set(this.words.subarray(base, node));
    this.words = larger;
    this.#base = 0;
    if (base === 0) return used;
    for (let at = NEXT; at < used; at += STRIDE) larger[at] = (larger[at] as number) - base;
    for (let level = 1; level <= depth; level++) {
      this.#open[level] = (this.#open[level] as number) - base;
      this.#lastKey[level] = (this.#lastKey[level] as number) - base;
    }
    return used;
  }

  #skipSpace(from: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let p = from;
    while (p < end) {
      const c = bytes[p];
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) break;
      p++;
    }
    return p;
  }

  /** Reads a key and its colon at p; returns the offset at which the value is due. */
  #key(p: number, at: { readonly node: number; readonly depth: number }): number {
    if (p >= this.#end || this.#bytes[p] !== QUOTE) throw this.#expected(p, 'a key in double quotes');
    const { node, depth } = at;
    const words = this.words;
    const after = this.#string(p);
    words[node + START] = p;
    words[node + END] = after;
    words[node + NEXT] = node + STRIDE;
    words[node + FLAGS] = this.#flags;
    const last = this.#lastKey[depth] as number;
    if (last >= 0 && this.#ascending[depth] === 1) {
      const order = compareKeys({ bytes: this.#bytes, words }, { left: last, right: node });
      if (order === 0) throw this.#duplicate(node);
      if (order > 0) this.#ascending[depth] = 0;
    }
    this.#lastKey[depth] = node;
    const colon = this.#skipSpace(after);
    if (colon >= this.#end || this.#bytes[colon] !== COLON) throw this.#expected(colon, "':'");
    return this.#skipSpace(colon + 1);
  }

  #refuseDuplicates(container: number): void {
    const tape = { bytes: this.#bytes, words: this.words };
    // Records of one kind name the same keys in the same order; that order was found free of duplicates before.
    if (this.#shapes.recall(tape, container) === true) return;
    const duplicate = anyDuplicate(tape, container);
    if (duplicate !== -1) throw this.#duplicate(duplicate);
    this.#shapes.learn(tape, container, true);
  }

  #duplicate(node: number): ScanFailure {
    return new ScanFailure(
      'json-duplicate-key',
      this.words[node + START] as number,
      'a key stands twice in one object',
    );
  }

  #expected(p: number, what: string): ScanFailure {
    const found = p >= this.#end ? 'the end' : 'something else';
    return new ScanFailure('json-syntax', p, `${what} was expected, ${found} stands here`);
  }

  /** Reads a string whose opening quote is at p; returns the offset after the closing quote. */
  #string(p: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    const quads = this.#quads;
    const shift = this.#shift;
    const lastQuad = (end + shift) >> 2;
    let escaped = 0;
    let q = p + 1;
    while (q < end) {
      const c = bytes[q] as number;
      if (c === QUOTE) {
        this.#flags = escaped;
        return q + 1;
      }
      if (c < 0x20) throw new ScanFailure('json-syntax', q, 'a control character stands unescaped in a string');
      if (c === BACKSLASH) {
        escaped = ESCAPED;
        q = this.#escape(q);
      } else q++;
      if (((q + shift) & 3) === 0) {
        // From here four bytes at a time, while none of them ends the string, escapes or is a control character.
        let quad = (q + shift) >> 2;
        while (quad < lastQuad && plainQuad(quads[quad] as number)) quad++;
        q = (quad << 2) - shift;
      }
    }
    throw new ScanFailure('json-syntax', end, 'a string has no end');
  }

  #escape(q: number): number {
    const c = q + 1 < this.#end ? (this.#bytes[q + 1] as number) : -1;
    // " \ / b f n r t
    if (
      c === QUOTE ||
      c === BACKSLASH ||
      c === 0x2f ||
      c === 0x62 ||
      c === 0x66 ||
      c === 0x6e ||
      c === 0x72 ||
      c === 0x74
    )
      return q + 2;
    if (c !== 0x75) throw new ScanFailure('json-syntax', q, 'an unknown escape');
    const unit = this.#hex4(q);
    if (unit < 0xd800 || unit > 0xdfff) return q + 6;
    const low =
      unit < 0xdc00 && this.#bytes[q + 6] === BACKSLASH && this.#bytes[q + 7] === 0x75 ? this.#hex4(q + 6) : 0;
    if (low < 0xdc00 || low > 0xdfff) throw new ScanFailure('json-lone-surrogate', q, 'half of a surrogate pair');
    return q + 12;
  }

  /** The code unit of the escape whose backslash is at q. */
  #hex4(q: number): number {
    let unit = 0;
    for (let i = q + 2; i < q + 6; i++) {
      const digit = i < this.#end ? hexDigit(this.#bytes[i] as number) : -1;
      if (digit < 0) throw new ScanFailure('json-syntax', q, 'four hexadecimal digits must follow \\u');
      unit = unit * 16 + digit;
    }
    return unit;
  }

  /** Reads a number or a literal at p; returns the offset after it. */
  #scalar(p: number, c: number): number {
    this.#flags = 0;
    if (c === MINUS || (c >= ZERO && c <= NINE)) return this.#number(p);
    if (c === 0x74) return this.#literal(p, 'true');
    if (c === 0x66) return this.#literal(p, 'false');
    if (c === 0x6e) return this.#literal(p, 'null');
    if (this.#matches(p, 'NaN') || this.#matches(p, 'Infinity'))
      throw new ScanFailure('json-nonfinite', p, 'not a finite number');
    throw this.#expected(p, 'a value');
  }

  #matches(p: number, text: string): boolean {
    if (p + text.length > this.#end) return false;
    for (let i = 0; i < text.length; i++) if (this.#bytes[p + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  #literal(p: number, text: string): number {
    if (!this.#matches(p, text)) throw this.#expected(p, 'a value');
    return p + text.length;
  }

  #number(start: number): number {
    const bytes = this.#bytes;
    let p = start;
    if (bytes[p] === MINUS) p++;
    const digits = p;
    p = this.#digits(p);
    if (p === digits) {
      if (this.#matches(p, 'Infinity')) throw new ScanFailure('json-nonfinite', start, 'not a finite number');
      throw this.#expected(p, 'a digit');
    }
    const integerDigits = p - digits;
    if (bytes[digits] === ZERO && integerDigits > 1)
      throw new ScanFailure('json-syntax', digits, 'a number begins with a zero');
    let exponent = false;
    if (p < this.#end && bytes[p] === 0x2e) {
      this.#flags = FRACTIONAL;
      const from = p + 1;
      p = this.#digits(from);
      if (p === from) throw this.#expected(p, 'a digit');
    }
    if (p < this.#end && (bytes[p] === 0x65 || bytes[p] === 0x45)) {
      this.#flags = FRACTIONAL;
      exponent = true;
      p++;
      if (p < this.#end && (bytes[p] === 0x2b || bytes[p] === MINUS)) p++;
      const from = p;
      p = this.#digits(from);
      if (p === from) throw this.#expected(p, 'a digit');
    }
    if (this.#flags === 0) {
      if (integerDigits > MAX_INTEGER_DIGITS)
        throw new ScanFailure('json-long-integer', start, `an integer of more than ${MAX_INTEGER_DIGITS} digits`);
    } else if ((exponent || integerDigits > 300) && !Number.isFinite(Number(asciiText(bytes, { from: start, to: p }))))
      throw new ScanFailure('json-nonfinite', start, 'a number beyond the range of a double');
    return p;
  }

  #digits(from: number): number {
    let p = from;
    while (p < this.#end) {
      const c = this.#bytes[p] as number;
      if (c < ZERO || c > NINE) break;
      p++;
    }
    return p;
  }
}

/** Whether none of four bytes is a quote, a backslash or below U+0020; the borrow of a hit may only add hits above it. */
function plainQuad(quad: number): boolean {
  const quote = quad ^ 0x22222222;
  const backslash = quad ^ 0x5c5c5c5c;
  const hits =
    ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | ((quad - 0x20202020) & ~quad);
  return (hits & 0x80808080) === 0;
}
