import { parseJson } from '../json/index.js';
import { GateError } from '../model/errors.js';
import type { IndexLine } from '../store/index.js';
import { quickId } from './quick-id.js';

/** Where a line of the index stands, so that whoever judges its run can read it. */
export interface LinePosition {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

/** An index line that names no run; it is reported and ignored (contract 10). */
export interface BadLine {
  readonly line: number;
  readonly reason: string;
}

/** Reads a line of the index again. */
export type ReadLine = (position: LinePosition) => Uint8Array;

/** Only so many bad lines are kept with their reasons; the rest are counted. */
const KEPT_BAD_LINES = 20;
const FIRST_ROWS = 1024;

/** Members of a place: line, offset and length; a line counts from 1, so that 0 says that there is none. */
const PLACE = 3;

/**
 * The index of an archive: which ids have lines, and where. A line that begins with its id is not parsed here: it is
 * compared with its run's envelope, which proves more, and `settle` parses the lines that have no such run.
 */
export class IndexTable {
  /** Row of each run that is stored: its own number. An id comes from a stored file, so that only a Map may be asked. */
  readonly #stored: ReadonlyMap<string, number>;
  /** Row of each id without a run; the rows follow those of the runs. */
  readonly #others = new Map<string, number>();
  /** Every line of an id that stands on several. */
  readonly #repeats = new Map<string, LinePosition[]>();
  readonly #bad: BadLine[] = [];
  #badCount = 0;
  #places: Float64Array;

  #next: number;
  #lines = 0;
  #bytes = 0;

  /** `stored` numbers the runs of the archive from 0: most ids are theirs and need not be kept a second time. */
  constructor(stored: ReadonlyMap<string, number>) {
    this.#stored = stored;
    this.#next = stored.size;
    this.#places = new Float64Array((stored.size + FIRST_ROWS) * PLACE);
  }

  /** How much of an index there was, so that two readers can tell whether they read the same one. */
  get size(): { readonly lines: number; readonly bytes: number } {
    return { lines: this.#lines, bytes: this.#bytes };
  }

  /** Takes one line of the index. */
  add({ line, offset, bytes }: IndexLine): void {
    this.#lines++;
    this.#bytes = offset + (bytes?.byteLength ?? 0);
    if (bytes === null) return this.refuse({ line, reason: 'the line is too long to be read' });
    const position = { line, offset, length: bytes.byteLength };
    const id = quickId(bytes) ?? this.#strictId(line, bytes);
    if (id === undefined) return;
    const known = this.position(id);
    if (known === undefined) return this.#keep(id, position);
    const repeats = this.#repeats.get(id);
    if (repeats === undefined) this.#repeats.set(id, [known, position]);
    else repeats.push(position);
  }

  /** The only line of an id, or the first of several. */
  position(id: string): LinePosition | undefined {
    const at = this.#placeOf(id);
    if (at === undefined) return undefined;
    const places = this.#places;
    const line = places[at] ?? 0;
    return line === 0 ? undefined : { line, offset: places[at + 1] ?? 0, length: places[at + 2] ?? 0 };
  }

  /** How many lines an id has. */
  lines(id: string): number {
    return this.#repeats.get(id)?.length ?? (this.position(id) === undefined ? 0 : 1);
  }

  /** The ids that have lines and no run. */
  lost(): IterableIterator<string> {
    return this.#others.keys();
  }

  /** How many lines were ignored, and the first of them. */
  get bad(): { readonly count: number; readonly first: readonly BadLine[] } {
    return { count: this.#badCount, first: this.#bad };
  }

  /** Counts a line that cannot be read. */
  refuse(bad: BadLine): void {
    this.#badCount++;
    if (this.#bad.length < KEPT_BAD_LINES) this.#bad.push(bad);
  }

  /** Parses the lines on which more depends than one comparison: those of ids without a folder, and doubled ones. */
  settle(read: ReadLine): void {
    const doubtful = new Set([...this.#repeats.keys(), ...this.#others.keys()]);
    for (const id of doubtful) {
      const first = this.position(id);
      const positions = this.#repeats.get(id) ?? (first === undefined ? [] : [first]);
      const sound = positions.filter((position) => this.#strictId(position.line, read(position)) === id);
      this.#replace(id, sound);
    }
  }

  #replace(id: string, sound: readonly LinePosition[]): void {
    const [first] = sound;
    if (first === undefined) {
      this.#write(id, { line: 0, offset: 0, length: 0 });
      this.#others.delete(id);
    } else this.#write(id, first);
    if (sound.length > 1) this.#repeats.set(id, [...sound]);
    else this.#repeats.delete(id);
  }

  #strictId(line: number, bytes: Uint8Array): string | undefined {
    try {
      const id = parseJson(bytes, { file: 'invocations.jsonl', firstLine: line }).get('invocation_id')?.string();
      if (id === undefined) this.refuse({ line, reason: 'the line is no envelope with an invocation_id' });
      return id;
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      this.refuse({ line, reason: error.message });
      return undefined;
    }
  }

  #keep(id: string, position: LinePosition): void {
    if (!this.#stored.has(id)) {
      // Rows are never given back, so that the next one is as many as there were.
      const row = this.#next++;
      this.#others.set(id, row);
      if ((row + 1) * PLACE > this.#places.length) {
        const larger = new Float64Array(this.#places.length * 2);
        larger.set(this.#places);
        this.#places = larger;
      }
    }
    this.#write(id, position);
  }

  #write(id: string, { line, offset, length }: LinePosition): void {
    const at = this.#placeOf(id);
    if (at === undefined) return;
    const places = this.#places;
    places[at] = line;
    places[at + 1] = offset;
    places[at + 2] = length;
  }

  #placeOf(id: string): number | undefined {
    const row = this.#stored.get(id) ?? this.#others.get(id);
    return row === undefined ? undefined : row * PLACE;
  }
}
