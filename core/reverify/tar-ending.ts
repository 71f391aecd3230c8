/** Everything in a tar stream comes in blocks of so many bytes. */
const BLOCK = 512;
const [NAME_BYTES, SIZE_AT, SIZE_BYTES, TYPE_AT] = [100, 124, 12, 156];
/** What ends a tar stream (POSIX, pax): two blocks of zeros. */
const END_BLOCKS = 2;

/**
 * Watches the blocks of a tar stream go by. A writer that was stopped leaves a stream without its end, which else looks
 * like a smaller archive; and what stands behind the end is read by some programs and not by others.
 */
export class TarEnding {
  readonly #header = Buffer.alloc(BLOCK);
  #gathered = 0;
  /** Bytes of content and padding until the next header. */
  #skip = 0;
  #zeros = 0;
  #behind = false;

  /** Takes the next bytes of the stream. */
  take(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) {
      if (this.#skip > 0) {
        const count = Math.min(this.#skip, piece.length - at);
        this.#skip -= count;
        at += count;
        continue;
      }
      const count = piece.copy(this.#header, this.#gathered, at, at + BLOCK - this.#gathered);
      this.#gathered += count;
      at += count;
      if (this.#gathered === BLOCK) this.#block();
    }
  }

  /** What is wrong with the whole stream, when all of it has come; null when nothing is. */
  fault(): string | null {
    if (this.#behind) return 'something stands behind its end';
    const isWhole = this.#zeros >= END_BLOCKS && this.#skip === 0 && this.#gathered === 0;
    return isWhole ? null : 'it has no end, so that something may be missing';
  }

  #block(): void {
    this.#gathered = 0;
    if (this.#header.every((byte) => byte === 0)) {
      this.#zeros++;
      return;
    }
    if (this.#zeros > 0) this.#behind = true;
    this.#skip = hasContent(this.#header) ? Math.ceil(sizeOf(this.#header) / BLOCK) * BLOCK : 0;
  }
}

/** A folder has none, whatever its size says; an old one is a file whose name ends in a slash, and is read as one. */
function hasContent(header: Buffer): boolean {
  const type = header[TYPE_AT];
  if (type !== 0 && type !== 0x30) return type !== 0x35;
  const name = header.subarray(0, NAME_BYTES);
  const end = name.indexOf(0);
  return name[(end === -1 ? NAME_BYTES : end) - 1] !== 0x2f;
}

/** Octal digits or, where the first bit is set, a big-endian number. */
function sizeOf(header: Buffer): number {
  const field = header.subarray(SIZE_AT, SIZE_AT + SIZE_BYTES);
  if (((field[0] ?? 0) & 0x80) !== 0) return Number.parseInt(field.subarray(1).toString('hex'), 16);
  return Number.parseInt(field.toString('latin1').replaceAll('\0', ' ').trim(), 8) || 0;
}
