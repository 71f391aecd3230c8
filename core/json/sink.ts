import { bufferOf } from './strings.js';

/** Up to this many bytes, a loop is faster than a call into the runtime. */
const SHORT = 100;
/** The same for text of this many characters. */
const SHORT_TEXT = 24;

/** A growing run of bytes that is reused from call to call. */
export class ByteSink {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  length = 0;

  /** The bytes written so far; a view that the next `reset` invalidates. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  reset(): void {
    this.length = 0;
    // One huge document must not hold its memory for the rest of the process.
    if (this.#bytes.length > 16 * 1024 * 1024) this.#bytes = Buffer.allocUnsafe(64 * 1024);
  }

  byte(value: number): void {
    if (this.length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.length++] = value;
  }

  /** Appends `source[from, to)`. */
  copy(source: Uint8Array, range: { readonly from: number; readonly to: number }): void {
    const { from, to } = range;
    const count = to - from;
    if (this.length + count > this.#bytes.length) this.#grow(count);
    const bytes = this.#bytes;
    let at = this.length;
    if (count > SHORT) bufferOf(source).copy(bytes, at, from, to);
    else for (let p = from; p < to; p++) bytes[at++] = source[p] as number;
    this.length += count;
  }

  /** Appends text as UTF-8. */
  text(text: string): void {
    // Three bytes a unit is the most that UTF-8 can need.
    if (this.length + text.length * 3 > this.#bytes.length) this.#grow(text.length * 3);
    if (text.length <= SHORT_TEXT && this.#ascii(text)) return;
    this.length += this.#bytes.write(text, this.length, 'utf8');
  }

  /** Appends text while it is ASCII, and says whether all of it was; what is not leaves no trace. */
  #ascii(text: string): boolean {
    const bytes = this.#bytes;
    let at = this.length;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7f) return false;
      bytes[at++] = unit;
    }
    this.length = at;
    return true;
  }

  #grow(extra: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.length + extra));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
