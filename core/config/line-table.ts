import type { Place } from '../model/violation.js';

/** Turns offsets into places; YAML ends a line at LF, CR or CR LF. */
export class LineTable {
  readonly #starts: readonly number[];
  /** Index of the line that was asked for last: a reader asks for one place after the other. */
  #latest = 0;

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
    if (!this.#holds(this.#latest, offset))
      this.#latest = this.#holds(this.#latest + 1, offset) ? this.#latest + 1 : this.#search(offset);
    return { file: this.file, line: this.#latest + 1, column: offset - (this.#starts[this.#latest] ?? 0) + 1 };
  }

  #holds(line: number, offset: number): boolean {
    const start = this.#starts[line];
    return start !== undefined && start <= offset && offset < (this.#starts[line + 1] ?? Number.POSITIVE_INFINITY);
  }

  #search(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
