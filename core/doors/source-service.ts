import type { Noted, Witness } from '../conductor/witness.js';
import { canonicalisationNames, hashOf, isCanonicalisation, type JsonNode } from '../json/index.js';
import { assertNever } from '../model/assert-never.js';
import { GateError } from '../model/errors.js';
import type { Clock } from '../model/ports.js';
import { quoted } from '../model/wording.js';
import { parseQuery, type SearchResult, type SourceCopies, type SourceCopy, searchRecords } from '../sources/index.js';
import { Budget } from './budget.js';
import { type Answer, given, type Refusal, refused } from './refusal.js';

/** What one run may take: enough for an agent at work, too little to keep the gate from its own. */
export const RUN_LIMITS = {
  burst: 2_000,
  perSecond: 1_000,
  searchesAtOnce: 4,
  /** Characters of an id, of a snapshot's name and of a query. */
  textLength: 2_048,
  hits: 50,
  /** Bytes of one record. */
  recordBytes: 16 * 1024 * 1024,
  /** Bytes of a record that cost as much as a request. */
  bytesARequest: 16 * 1024,
  /** Requests that are not answered whole. */
  requestsAtOnce: 512,
  /** Bytes of answers that the run has not taken yet. */
  unsentBytes: 64 * 1024 * 1024,
} as const;

/** How many hits a search gives that asks for no number. */
const DEFAULT_HITS = 10;

/** The projection under which a record is whole (contract 2). */
const WHOLE_RECORD = 'dd-json-document-v1';

/** A snapshot that a run may be served. */
export interface DescribedSnapshot {
  readonly snapshotRef: string;
  readonly records: number;
}

/** A record as it is served, with the hash that was worked out here under the canonicalisation that was asked for. */
export interface ServedRecord {
  readonly snapshotRef: string;
  readonly sourceId: string;
  readonly canonicalisation: string;
  readonly contentHash: string;
  readonly record: JsonNode;
}

/** A turn for others between two pieces of work; the real one is core/io/turns.ts. */
export type Turn = () => Promise<void>;

/** The run that is served, and what it takes. */
export interface ServedRun {
  readonly copies: SourceCopies;
  /** The snapshots that its agent may see. */
  readonly allowed: readonly string[];
  readonly witness: Witness;
  readonly clock: Clock;
  readonly turn: Turn;
}

/**
 * The pinned copies for one run, behind both doors. Everything that is asked is an agent's doing; a snapshot that its agent may not
 * see is answered like one that does not exist. A record is given only after the witness has noted it.
 */
export class SourceService {
  readonly #run: ServedRun;
  readonly #budget: Budget;
  readonly #underWay = new Set<() => void>();
  #searches = 0;
  #unsent = 0;
  #closed = false;

  constructor(run: ServedRun) {
    this.#run = run;
    this.#budget = new Budget(run.clock, RUN_LIMITS);
  }

  /**
   * Counts a request until the returned function is called; refuses one when the run asks too fast or too much at once, or is over.
   * `cut` breaks it off when the run ends first.
   */
  begin(cut: () => void): Answer<() => void> {
    if (this.#closed) return OVER;
    if (this.#unsent > RUN_LIMITS.unsentBytes) return refused('too-many', 'this run does not take what it asked for');
    if (this.#underWay.size >= RUN_LIMITS.requestsAtOnce)
      return refused('too-many', `this run has ${RUN_LIMITS.requestsAtOnce} requests under way: await them`);
    if (!this.#budget.take()) return refused('too-many', 'this run asks too fast: wait a second');
    const known = (): void => cut();
    this.#underWay.add(known);
    return given(() => void this.#underWay.delete(known));
  }

  /** Counts an answer that is being sent; the returned function says that it was taken, or that nobody takes it any more. */
  sending(bytes: number): () => void {
    this.#unsent += bytes;
    return () => {
      this.#unsent -= bytes;
    };
  }

  /** Ends all service, and breaks off what is under way. */
  close(): void {
    this.#closed = true;
    for (const cut of this.#underWay) cut();
    this.#underWay.clear();
  }

  /** The snapshots that this run may be served. */
  snapshots(): readonly DescribedSnapshot[] {
    return this.#run.allowed.flatMap((snapshotRef) => {
      const copy = this.#run.copies.copyFor(snapshotRef);
      return copy === undefined ? [] : [{ snapshotRef, records: copy.records }];
    });
  }

  describe(snapshotRef: string): Answer<DescribedSnapshot> {
    const copy = this.#copy(snapshotRef);
    return copy === undefined ? unknownSnapshot(snapshotRef) : given({ snapshotRef, records: copy.records });
  }

  fetch(asked: {
    readonly snapshotRef: string;
    readonly sourceId: string;
    readonly canonicalisation?: string | undefined;
  }): Answer<ServedRecord> {
    const { snapshotRef, sourceId, canonicalisation = WHOLE_RECORD } = asked;
    if (this.#closed) return OVER;
    const startNs = this.#run.clock.nowNs();
    const copy = this.#copy(snapshotRef);
    if (copy === undefined) return unknownSnapshot(snapshotRef);
    if (sourceId === '' || isOdd(sourceId)) return refused('malformed', 'the id is empty, too long or no Unicode');
    if (!isCanonicalisation(canonicalisation))
      return refused('malformed', `${quoted(canonicalisation)} is none of ${canonicalisationNames().join(', ')}`);
    try {
      const record = copy.find(sourceId);
      if (record === undefined) return refused('no-such-record', `the copy holds no record ${quoted(sourceId)}`);
      if (record.end - record.start > RUN_LIMITS.recordBytes)
        return refused('record-too-large', `the record ${quoted(sourceId)} is too large to be served`);
      this.#budget.charge((record.end - record.start) / RUN_LIMITS.bytesARequest);
      const contentHash = hashOf(record, canonicalisation);
      const noted = {
        kind: 'retrieval',
        sourceId,
        contentHash,
        snapshotRef,
        startNs,
        endNs: this.#run.clock.nowNs(),
      } as const;
      return servedIf(this.#run.witness.note(noted), { snapshotRef, sourceId, canonicalisation, contentHash, record });
    } catch (error) {
      return refusalOf(error);
    }
  }

  async search(asked: {
    readonly snapshotRef: string;
    readonly query: string;
    readonly limit?: number | undefined;
    /** Says whether nobody waits for the answer any more. */
    readonly gone?: () => boolean;
  }): Promise<Answer<SearchResult>> {
    const { snapshotRef, query: text, limit = DEFAULT_HITS, gone = () => false } = asked;
    const rows = this.#copy(snapshotRef)?.rows;
    if (rows === undefined) return unknownSnapshot(snapshotRef);
    const query = isOdd(text) ? null : parseQuery(text);
    if (query === null) return refused('malformed', 'the query holds no word, is too long or no Unicode');
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > RUN_LIMITS.hits)
      return refused('malformed', `the limit is no whole number from 1 to ${RUN_LIMITS.hits}`);
    if (this.#searches >= RUN_LIMITS.searchesAtOnce)
      return refused('too-many', `this run has ${RUN_LIMITS.searchesAtOnce} searches under way: await them`);
    this.#searches += 1;
    try {
      const steps = searchRecords(rows, { query, limit });
      for (;;) {
        const step = steps.next();
        if (step.done === true) return given(step.value);
        await this.#run.turn();
        if (this.#closed || gone()) return OVER;
      }
    } catch (error) {
      return refusalOf(error);
    } finally {
      this.#searches -= 1;
    }
  }

  #copy(snapshotRef: string): SourceCopy | undefined {
    if (this.#closed || !this.#run.allowed.includes(snapshotRef)) return undefined;
    return this.#run.copies.copyFor(snapshotRef);
  }
}

const OVER: Refusal = refused('grant-unknown', 'the token is of no run in progress');

function unknownSnapshot(snapshotRef: string): Refusal {
  return refused('no-such-snapshot', `this run is served no snapshot ${quoted(snapshotRef)}`);
}

/** Half a surrogate pair could not be written into the trace. */
function isOdd(text: string): boolean {
  return text.length > RUN_LIMITS.textLength || !text.isWellFormed();
}

function servedIf(noted: Noted, record: ServedRecord): Answer<ServedRecord> {
  switch (noted) {
    case 'noted':
      return given(record);
    case 'closed':
      return OVER;
    case 'full':
      return refused('run-full', 'this run has been served as many records as one may');
    default:
      return assertNever(noted);
  }
}

/** A copy that changed under way serves nothing more; what is ours to mend goes on. */
function refusalOf(error: unknown): Refusal {
  if (!(error instanceof GateError)) throw error;
  if (error.code === 'projection-refused') return refused('not-projectable', error.message);
  return refused('copy-unreadable', 'the copy can no longer be read');
}
