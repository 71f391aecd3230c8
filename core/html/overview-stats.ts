import { RUN_STATES, type RunState } from '../model/stored-run.js';
import type { FindingRule } from '../report/finding.js';
import { type Buckets, bucketsOf } from './buckets.js';
import type { RunSummary } from './run-summary.js';

/** How many runs are in each state. */
export type StateCounts = Readonly<Record<RunState, number>>;

/** What is known of the runs of one agent, or of those that break one rule. */
export interface Group<Name extends string = string> {
  readonly name: Name;
  readonly counts: StateCounts;
  readonly runs: number;
  /** By stretch of time: all of its runs. */
  readonly trend: readonly number[];
  /** By stretch of time: those that did not pass. */
  readonly badTrend: readonly number[];
}

/** Everything that the overview says about all runs together. */
export interface Overview {
  readonly runs: number;
  readonly counts: StateCounts;
  /** Most runs first. */
  readonly agents: readonly Group[];
  /** Most runs first; only rules that a run breaks. */
  readonly rules: readonly Group<FindingRule>[];
  readonly verified: number;
  readonly unresolved: number;
  readonly buckets: Buckets | null;
  /** By stretch of time. */
  readonly trend: readonly StateCounts[];
  /** Runs that tell no time. */
  readonly timeless: number;
}

/** Stands for runs whose agent nobody knows. */
export const NO_AGENT = '';

/** Counts runs as they come; of each it keeps a few numbers, so that an archive of any size fits. */
export class OverviewStats {
  readonly #states: number[] = [];
  readonly #times: number[] = [];
  readonly #agents = new Members<string>();
  readonly #rules = new Members<FindingRule>();
  #verified = 0;
  #unresolved = 0;

  add({ state, ms, agent, rules, verified, unresolved }: RunSummary): void {
    const run = this.#states.length;
    this.#states.push(RUN_STATES.indexOf(state));
    this.#times.push(ms ?? Number.NaN);
    this.#agents.add(agent ?? NO_AGENT, run);
    for (const rule of rules) this.#rules.add(rule, run);
    this.#verified += verified;
    this.#unresolved += unresolved;
  }

  overview(): Overview {
    const timed = this.#times.filter((ms) => !Number.isNaN(ms));
    const buckets = bucketsOf(timed);
    const everything = [...this.#states.keys()];
    return {
      runs: this.#states.length,
      counts: this.#countsOf(everything),
      agents: this.#groups(this.#agents, buckets),
      rules: this.#groups(this.#rules, buckets),
      verified: this.#verified,
      unresolved: this.#unresolved,
      buckets,
      trend: this.#byBucket(everything, buckets).map((runs) => this.#countsOf(runs)),
      timeless: this.#times.length - timed.length,
    };
  }

  #groups<Name extends string>(members: Members<Name>, buckets: Buckets | null): readonly Group<Name>[] {
    return [...members.entries()]
      .map(([name, runs]): Group<Name> => {
        const byBucket = this.#byBucket(runs, buckets);
        return {
          name,
          runs: runs.length,
          counts: this.#countsOf(runs),
          trend: byBucket.map((some) => some.length),
          badTrend: byBucket.map((some) => some.filter((run) => this.#states[run] !== PASSED).length),
        };
      })
      .sort((a, b) => b.runs - a.runs || (a.name < b.name ? -1 : 1));
  }

  #byBucket(runs: readonly number[], buckets: Buckets | null): readonly (readonly number[])[] {
    if (buckets === null) return [];
    const found: number[][] = Array.from({ length: buckets.edges.length - 1 }, () => []);
    for (const run of runs) {
      const ms = this.#times[run] ?? Number.NaN;
      if (!Number.isNaN(ms)) found[buckets.indexOf(ms)]?.push(run);
    }
    return found;
  }

  #countsOf(runs: readonly number[]): StateCounts {
    const counts = { unreadable: 0, tampered: 0, withheld: 0, failed: 0, passed: 0 };
    for (const run of runs) {
      const state = RUN_STATES[this.#states[run] ?? 0];
      if (state !== undefined) counts[state]++;
    }
    return counts;
  }
}

const PASSED = RUN_STATES.indexOf('passed');

/** Runs by a name, which a model may have chosen: a Map alone may be asked. */
class Members<Name extends string> {
  readonly #runs = new Map<Name, number[]>();

  add(name: Name, run: number): void {
    const runs = this.#runs.get(name);
    if (runs === undefined) this.#runs.set(name, [run]);
    else runs.push(run);
  }

  entries(): IterableIterator<[Name, number[]]> {
    return this.#runs.entries();
  }
}
