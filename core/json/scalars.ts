import { BACKSLASH, MINUS, NINE, QUOTE, ZERO } from './ascii.js';
import { ScanFailure } from './scan-failure.js';
import { asciiText, hexDigit } from './strings.js';
import { ESCAPED, FRACTIONAL, MAX_INTEGER_DIGITS } from './tape.js';

/**
 * Reads the scalars of strict JSON (contract 1) from a byte range that is known to be UTF-8: each method takes the offset
 * at which something begins and returns the offset behind it. Throws `ScanFailure`.
 */
export class ScalarReader {
  bytes: Uint8Array = new Uint8Array(0);
  /** Where the range ends. */
  end = 0;
  /** What the tape keeps of the scalar that was read last. */
  flags = 0;
  /** The memory of `bytes` as aligned 32-bit words, and the distance of its first byte from the first word. */
  #quads: Int32Array = new Int32Array(0);
  #shift = 0;
  /** The memory that the words are of, from its beginning; null when they begin later. */
  #memory: ArrayBufferLike | null = null;

  /** Reads from these bytes, up to `end`. */
  view(bytes: Uint8Array, end: number): void {
    this.end = end;
    // The documents of one file share their bytes.
    if (bytes === this.bytes) return;
    this.bytes = bytes;
    const { buffer, byteOffset } = bytes;
    if (byteOffset + bytes.byteLength <= MAX_OFFSET) {
      // Files that were read into one memory share its words.
      this.#shift = byteOffset;
      if (this.#memory === buffer) return;
      this.#memory = buffer;
      this.#quads = new Int32Array(buffer, 0, Math.min(buffer.byteLength, MAX_OFFSET) >> 2);
      return;
    }
    this.#shift = byteOffset & 3;
    const from = byteOffset - this.#shift;
    this.#memory = null;
    this.#quads = new Int32Array(buffer, from, Math.min(buffer.byteLength - from, MAX_OFFSET) >> 2);
  }

  skipSpace(from: number): number {
    const bytes = this.bytes;
    const end = this.end;
    let p = from;
    while (p < end) {
      const c = bytes[p];
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) break;
      p++;
    }
    return p;
  }

  /** Reads a string whose opening quote is at p; returns the offset after the closing quote. */
  string(p: number): number {
    const bytes = this.bytes;
    const end = this.end;
    const quads = this.#quads;
    const shift = this.#shift;
    const lastQuad = (end + shift) >> 2;
    let escaped = 0;
    let q = p + 1;
    while (q < end) {
      const c = bytes[q] as number;
      if (c === QUOTE) {
        this.flags = escaped;
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
    const c = q + 1 < this.end ? (this.bytes[q + 1] as number) : -1;
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
    const low = unit < 0xdc00 && this.bytes[q + 6] === BACKSLASH && this.bytes[q + 7] === 0x75 ? this.#hex4(q + 6) : 0;
    if (low < 0xdc00 || low > 0xdfff) throw new ScanFailure('json-lone-surrogate', q, 'half of a surrogate pair');
    return q + 12;
  }

  /** The code unit of the escape whose backslash is at q. */
  #hex4(q: number): number {
    let unit = 0;
    for (let i = q + 2; i < q + 6; i++) {
      const digit = i < this.end ? hexDigit(this.bytes[i] as number) : -1;
      if (digit < 0) throw new ScanFailure('json-syntax', q, 'four hexadecimal digits must follow \\u');
      unit = unit * 16 + digit;
    }
    return unit;
  }

  /** Reads a number or a literal at p; returns the offset after it. */
  scalar(p: number, c: number): number {
    this.flags = 0;
    if (c === MINUS || (c >= ZERO && c <= NINE)) return this.number(p);
    if (c === 0x74) return this.#literal(p, 'true');
    if (c === 0x66) return this.#literal(p, 'false');
    if (c === 0x6e) return this.#literal(p, 'null');
    if (this.#matches(p, 'NaN') || this.#matches(p, 'Infinity'))
      throw new ScanFailure('json-nonfinite', p, 'not a finite number');
    throw this.expected(p, 'a value');
  }

  #matches(p: number, text: string): boolean {
    if (p + text.length > this.end) return false;
    for (let i = 0; i < text.length; i++) if (this.bytes[p + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  #literal(p: number, text: string): number {
    if (!this.#matches(p, text)) throw this.expected(p, 'a value');
    return p + text.length;
  }

  number(start: number): number {
    const bytes = this.bytes;
    let p = start;
    if (bytes[p] === MINUS) p++;
    const digits = p;
    p = this.#digits(p);
    if (p === digits) {
      if (this.#matches(p, 'Infinity')) throw new ScanFailure('json-nonfinite', start, 'not a finite number');
      throw this.expected(p, 'a digit');
    }
    const integerDigits = p - digits;
    if (bytes[digits] === ZERO && integerDigits > 1)
      throw new ScanFailure('json-syntax', digits, 'a number begins with a zero');
    let exponent = false;
    if (p < this.end && bytes[p] === 0x2e) {
      this.flags = FRACTIONAL;
      const from = p + 1;
      p = this.#digits(from);
      if (p === from) throw this.expected(p, 'a digit');
    }
    if (p < this.end && (bytes[p] === 0x65 || bytes[p] === 0x45)) {
      this.flags = FRACTIONAL;
      exponent = true;
      p++;
      if (p < this.end && (bytes[p] === 0x2b || bytes[p] === MINUS)) p++;
      const from = p;
      p = this.#digits(from);
      if (p === from) throw this.expected(p, 'a digit');
    }
    if (this.flags === 0) {
      if (integerDigits > MAX_INTEGER_DIGITS)
        throw new ScanFailure('json-long-integer', start, `an integer of more than ${MAX_INTEGER_DIGITS} digits`);
    } else if ((exponent || integerDigits > 300) && !Number.isFinite(Number(asciiText(bytes, { from: start, to: p }))))
      throw new ScanFailure('json-nonfinite', start, 'a number beyond the range of a double');
    return p;
  }

  #digits(from: number): number {
    let p = from;
    while (p < this.end) {
      const c = this.bytes[p] as number;
      if (c < ZERO || c > NINE) break;
      p++;
    }
    return p;
  }

  /** Something else stands at p than what had to. */
  expected(p: number, what: string): ScanFailure {
    const found = p >= this.end ? 'the end' : 'something else';
    return new ScanFailure('json-syntax', p, `${what} was expected, ${found} stands here`);
  }
}

/** Beyond this, an offset is no positive 32-bit number. */
const MAX_OFFSET = 2 ** 31 - 1;

/** Whether none of four bytes is a quote, a backslash or below U+0020; the borrow of a hit may only add hits above it. */
function plainQuad(quad: number): boolean {
  const quote = quad ^ 0x22222222;
  const backslash = quad ^ 0x5c5c5c5c;
  const hits =
    ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | ((quad - 0x20202020) & ~quad);
  return (hits & 0x80808080) === 0;
}
