import { hashOf, type JsonNode, parseJson } from '../json/index.js';
import { GateError } from '../model/errors.js';
import type { IndexLine } from '../store/index.js';

/** Digests are kept side by side in one buffer: as strings they would take four times as much. */
const DIGEST_BYTES = 32;
const FIRST_ROWS = 1024;

/** An index line that names no run; it is reported and ignored (contract 10). */
export interface BadLine {
  readonly line: number;
  readonly reason: string;
}

/** Only so many bad lines are kept with their reasons; the rest are counted. */
const KEPT_BAD_LINES = 20;

/** What the index holds about one id. */
export interface IndexedRun {
  readonly lines: number;
  /** `dd-envelope-json-v1` hash of the first line: the same document has the same canonical bytes. */
  readonly envelopeHash: string;
}

/** The index of an archive, as much of it as the tests of contract 10 ask: some hundred bytes a run. */
export class IndexTable {
  /** Id to row; an id comes from a stored file, so that only a Map may be asked. */
  readonly #rows = new Map<string, number>();
  /** Rows whose id stands on several lines. */
  readonly #repeats = new Map<number, number>();
  readonly #badLines: BadLine[] = [];
  #badCount = 0;
  #digests = Buffer.alloc(FIRST_ROWS * DIGEST_BYTES);

  /** Takes one line of the index. */
  add({ line, bytes }: IndexLine): void {
    if (bytes === null) return this.#refuse(line, 'the line is too long to be read');
    try {
      this.#addDocument(line, parseJson(bytes, { file: 'invocations.jsonl', firstLine: line }));
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      this.#refuse(line, error.message);
    }
  }

  get(id: string): IndexedRun | undefined {
    const row = this.#rows.get(id);
    if (row === undefined) return undefined;
    const from = row * DIGEST_BYTES;
    return {
      lines: this.#repeats.get(row) ?? 1,
      envelopeHash: this.#digests.toString('hex', from, from + DIGEST_BYTES),
    };
  }

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  ids(): IterableIterator<string> {
    return this.#rows.keys();
  }

  /** How many lines were ignored, and the first of them. */
  get bad(): { readonly count: number; readonly first: readonly BadLine[] } {
    return { count: this.#badCount, first: this.#badLines };
  }

  #addDocument(line: number, document: JsonNode): void {
    const id = document.get('invocation_id')?.string();
    if (id === undefined) return this.#refuse(line, 'the line is no envelope with an invocation_id');
    const known = this.#rows.get(id);
    if (known !== undefined) {
      this.#repeats.set(known, (this.#repeats.get(known) ?? 1) + 1);
      return;
    }
    const row = this.#rows.size;
    if ((row + 1) * DIGEST_BYTES > this.#digests.length)
      this.#digests = Buffer.concat([this.#digests, Buffer.alloc(this.#digests.length)]);
    this.#digests.write(hashOf(document, 'dd-envelope-json-v1'), row * DIGEST_BYTES, DIGEST_BYTES, 'hex');
    // A copy of its own: the text that was cut out of the line would keep the whole line alive.
    this.#rows.set(Buffer.from(id).toString(), row);
  }

  #refuse(line: number, reason: string): void {
    this.#badCount++;
    if (this.#badLines.length < KEPT_BAD_LINES) this.#badLines.push({ line, reason });
  }
}
