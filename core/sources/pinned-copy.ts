import type { JsonNode } from '../json/index.js';
import { type CopyIndex, type CopySource, tagOf } from './index-copy.js';
import { readRecord } from './read-record.js';
import { type RecordRows, recordRows } from './record-rows.js';
import type { Probe, RecordTable } from './record-table.js';

/** A copy of a source that this side holds: its pin was checked, its records are found by their exact id. */
export interface SourceCopy {
  /** Its path as messages name it. */
  readonly label: string;
  /** How many records it holds. */
  readonly records: number;
  /** Names everything that an answer of this copy depends on: two copies with one pin answer alike. */
  readonly pin: string;
  /** The record with exactly this id; throws `source-record-changed` when the file is no longer the pinned one. */
  find(id: string): JsonNode | undefined;
  /** Its records one after the other; left out where only single ones can be had. */
  readonly rows?: RecordRows;
}

/** A `SourceCopy` over an index that was made from the same descriptor. */
export class PinnedCopy implements SourceCopy {
  readonly #source: CopySource;
  readonly #table: RecordTable;

  readonly pin: string;

  constructor(source: CopySource, { table, sha256 }: Pick<CopyIndex, 'table' | 'sha256'>) {
    this.#source = source;
    this.#table = table;
    this.pin = JSON.stringify([sha256, source.idField, source.label]);
  }

  get rows(): RecordRows {
    return recordRows(this.#source, this.#table);
  }

  get label(): string {
    return this.#source.label;
  }

  get records(): number {
    return this.#table.count;
  }

  find(id: string): JsonNode | undefined {
    const tag = tagOf(id, this.#source.secret);
    const probe: Probe = { step: 0 };
    for (let found = this.#table.find(tag, probe); found !== -1; found = this.#table.find(tag, probe)) {
      const record = readRecord(this.#source, this.#table.record(found));
      if (record.get(this.#source.idField)?.string() === id) return record;
    }
    return undefined;
  }

  close(): void {
    this.#source.copy.close();
  }
}
