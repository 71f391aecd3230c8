/** What a chunk completed: nothing yet, one line, or a breach of "one line at a time". */
export type LineRead =
  | { readonly kind: 'partial' }
  | { readonly kind: 'line'; readonly line: Uint8Array }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'surplus' };

/** Collects chunks until a line feed; a line longer than `limit` bytes is never collected, nor is a second line. */
export class LineBuffer {
  readonly #limit: number;
  #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes of the line that is not complete yet. */
  get size(): number {
    return this.#size;
  }

  push(chunk: Uint8Array): LineRead {
    const feed = chunk.indexOf(0x0a);
    const piece = feed === -1 ? chunk : chunk.subarray(0, feed);
    this.#chunks.push(piece);
    this.#size += piece.length;
    if (this.#size >= this.#limit) return { kind: 'too-large' };
    if (feed === -1) return { kind: 'partial' };
    if (feed < chunk.length - 1) return { kind: 'surplus' };
    const line = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#size = 0;
    return { kind: 'line', line };
  }
}
