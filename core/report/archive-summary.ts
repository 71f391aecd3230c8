import { isBadState, RUN_STATES, type RunState, type StoredRunVerdict } from '../model/stored-run.js';
import { type Conclusion, concludeCheck } from './conclusion.js';

/** What a reverification counted, whatever the format. */
export interface ArchiveSummary {
  readonly runs: number;
  readonly states: Readonly<Record<RunState, number>>;
  readonly fromCache: number;
  /** Runs with at least one unresolved item of evidence. */
  readonly unresolved: number;
  /** Runs whose sources.txt is not what the check says today. */
  readonly sourcesDrift: number;
  /** Runs that name a delegated run of which the archive knows nothing. */
  readonly withAbsent: number;
  /** Runs that are newer than the seal; null without one. */
  readonly unsealed: number | null;
}

/** Counts the rows as they come. */
export class ArchiveCounter {
  readonly #states = Object.fromEntries(RUN_STATES.map((state) => [state, 0])) as Record<RunState, number>;
  #fromCache = 0;
  #unresolved = 0;
  #sourcesDrift = 0;
  #withAbsent = 0;
  #unsealed = 0;
  #sealing = false;

  add(verdict: StoredRunVerdict, { fromCache }: { readonly fromCache: boolean }): void {
    this.#states[verdict.state]++;
    if (fromCache) this.#fromCache++;
    if ((verdict.sources?.unresolved.length ?? 0) > 0) this.#unresolved++;
    if (verdict.sourcesDrift) this.#sourcesDrift++;
    if (verdict.absent.length > 0) this.#withAbsent++;
    if (verdict.sealed !== null) this.#sealing = true;
    if (verdict.sealed === false) this.#unsealed++;
  }

  summary(): ArchiveSummary {
    const states = { ...this.#states };
    return {
      runs: RUN_STATES.reduce((sum, state) => sum + states[state], 0),
      states,
      fromCache: this.#fromCache,
      unresolved: this.#unresolved,
      sourcesDrift: this.#sourcesDrift,
      withAbsent: this.#withAbsent,
      unsealed: this.#sealing ? this.#unsealed : null,
    };
  }
}

/** The conclusion over an archive: withheld runs alone, and an empty shard, are no failure (contract 9). */
export function concludeArchive(summary: ArchiveSummary): Conclusion {
  return concludeCheck(RUN_STATES.every((state) => !isBadState(state) || summary.states[state] === 0));
}
