import type { Place } from '../model/violation.js';

/** Turns offsets into places; YAML ends a line at LF, CR or CR LF. */
export class LineTable {
  readonly #starts: readonly number[];

  constructor(
    readonly file: string,
    text: string,
  ) {
    const starts = [0];
    for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
    this.#starts = starts;
  }

  /** The place of a UTF-16 offset, both numbers from 1. */
  place(offset: number): Place {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file: this.file, line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}
