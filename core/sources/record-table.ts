/** One record of a copy as the table keeps it: where it stands, and the SHA-256 of its bytes as a 32-character latin-1 string. */
export interface StoredRecord {
  readonly offset: number;
  readonly length: number;
  readonly digest: string;
}

/** Two 32-bit halves of the keyed hash of an id. */
export interface IdTag {
  readonly slot: number;
  readonly check: number;
}

const DIGEST_BYTES = 32;
const SEGMENT_RECORDS = 1 << 15;
const FIRST_SLOTS = 1 << 12;

/** The records of one segment, 52 bytes each: objects would take ten times as much. */
class Segment {
  readonly offsets = new Float64Array(SEGMENT_RECORDS);
  readonly lengths = new Uint32Array(SEGMENT_RECORDS);
  readonly slots = new Uint32Array(SEGMENT_RECORDS);
  readonly checks = new Uint32Array(SEGMENT_RECORDS);
  readonly digests = Buffer.alloc(SEGMENT_RECORDS * DIGEST_BYTES);
}

/**
 * A compact multimap from id tags to records: an open-addressing table of record numbers over segments that never
 * move. Two ids may share a tag; the caller reads the record to tell them apart.
 */
export class RecordTable {
  readonly #segments: Segment[] = [];
  /** Record number + 1 at each slot; 0 is empty. Its length is a power of two. */
  #table = new Uint32Array(FIRST_SLOTS);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds a record under a tag; returns its number. */
  add(tag: IdTag, record: StoredRecord): number {
    const number = this.#count;
    const at = number % SEGMENT_RECORDS;
    if (at === 0) this.#segments.push(new Segment());
    const segment = this.#segment(number);
    segment.offsets[at] = record.offset;
    segment.lengths[at] = record.length;
    segment.slots[at] = tag.slot;
    segment.checks[at] = tag.check;
    segment.digests.write(record.digest, at * DIGEST_BYTES, DIGEST_BYTES, 'latin1');
    this.#count = number + 1;
    if (this.#count * 2 > this.#table.length) this.#grow();
    else this.#place(number, tag.slot);
    return number;
  }

  /** The number of the first record under a tag, at or after a probe; -1 when there is none. Probes begin at 0. */
  find(tag: IdTag, probe: Probe): number {
    const table = this.#table;
    const mask = table.length - 1;
    for (; ; probe.step += 1) {
      const entry = table[(tag.slot + probe.step) & mask] ?? 0;
      if (entry === 0) return -1;
      const number = entry - 1;
      const segment = this.#segment(number);
      const at = number % SEGMENT_RECORDS;
      if (segment.checks[at] !== tag.check || segment.slots[at] !== tag.slot) continue;
      probe.step += 1;
      return number;
    }
  }

  /** The record of a number that `find` or `add` returned. */
  record(number: number): StoredRecord {
    const segment = this.#segment(number);
    const at = number % SEGMENT_RECORDS;
    return {
      offset: segment.offsets[at] ?? 0,
      length: segment.lengths[at] ?? 0,
      digest: segment.digests.toString('latin1', at * DIGEST_BYTES, (at + 1) * DIGEST_BYTES),
    };
  }

  /** Where a record stands, without its digest. */
  bounds(number: number): Pick<StoredRecord, 'offset' | 'length'> {
    const segment = this.#segment(number);
    const at = number % SEGMENT_RECORDS;
    return { offset: segment.offsets[at] ?? 0, length: segment.lengths[at] ?? 0 };
  }

  #segment(number: number): Segment {
    const segment = this.#segments[Math.floor(number / SEGMENT_RECORDS)];
    if (segment === undefined) throw new Error(`no record ${number} among ${this.#count}`);
    return segment;
  }

  #place(number: number, slot: number): void {
    const table = this.#table;
    const mask = table.length - 1;
    let at = slot & mask;
    while (table[at] !== 0) at = (at + 1) & mask;
    table[at] = number + 1;
  }

  #grow(): void {
    this.#table = new Uint32Array(this.#table.length * 2);
    for (let number = 0; number < this.#count; number += 1) {
      this.#place(number, this.#segment(number).slots[number % SEGMENT_RECORDS] ?? 0);
    }
  }
}

/** How far a search has come, so that it can go on past a record that only shares the tag. */
export interface Probe {
  step: number;
}
