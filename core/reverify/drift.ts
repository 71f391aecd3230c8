import { parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { isBadState, RUN_STATES, type StoredRunVerdict } from '../model/stored-run.js';
import type { IndexLine } from '../store/index.js';

/** How a run stands to the report before: `still` is a failure that was one then, too. */
export type DriftKind = 'new' | 'still' | 'healed' | 'unchanged';

/** What a run's verdict is beside the one before. */
export interface DriftNote {
  readonly kind: DriftKind;
  /** When a failing run was first seen failing, RFC 3339; null when nobody wrote it down; undefined for others. */
  readonly failingSince?: string | null;
}

/** What changed since the report before; names in folder-name order. */
export interface DriftSummary {
  readonly newFailures: readonly string[];
  readonly healed: readonly string[];
  readonly still: number;
  readonly unchanged: number;
  /** Runs that failed then and are not in the archive now, nor in its index. */
  readonly gone: readonly string[];
  /** The earliest time at which a run that fails now was first seen failing; null when none is known. */
  readonly failingSince: string | null;
}

/** The failures of a report before: since when each is one, null when the report does not say. */
export type PreviousFailures = ReadonlyMap<string, string | null>;

/**
 * Reads an earlier `reverify --format json`. Throws GateError `previous-malformed`, blame `caller`, for a line that is no
 * verdict: drift against half a report would call old failures new.
 */
export async function readPrevious(lines: AsyncIterable<IndexLine>, file: string): Promise<PreviousFailures> {
  const failures = new Map<string, string | null>();
  for await (const { line, bytes } of lines) {
    const row = bytes === null ? undefined : parseJson(bytes, { file, firstLine: line });
    const run = row?.get('run')?.string();
    const state = RUN_STATES.find((one) => one === row?.get('state')?.string());
    if (run === undefined || state === undefined)
      throw gateError('previous-malformed', {
        blame: 'caller',
        message: 'the line is no verdict on a run',
        remedy: 'give a report that `grounding reverify --format json` wrote',
        place: { file, line },
      });
    if (isBadState(state)) failures.set(run, row?.get('failing_since')?.string() ?? null);
  }
  return failures;
}

/** Compares verdicts, as they come, with the failures of a report before. */
export class Drift {
  readonly #previous: PreviousFailures;
  readonly #now: string;
  readonly #seen = new Set<string>();
  readonly #newFailures: string[] = [];
  readonly #healed: string[] = [];
  #still = 0;
  #unchanged = 0;
  #failingSince: string | null = null;

  /** `now` is when this report is made, RFC 3339. */
  constructor(previous: PreviousFailures, now: string) {
    this.#previous = previous;
    this.#now = now;
  }

  note({ run, state }: StoredRunVerdict): DriftNote {
    const before = this.#previous.has(run);
    if (before) this.#seen.add(run);
    if (!isBadState(state)) {
      if (before) this.#healed.push(run);
      else this.#unchanged++;
      return { kind: before ? 'healed' : 'unchanged' };
    }
    if (before) this.#still++;
    else this.#newFailures.push(run);
    const failingSince = before ? (this.#previous.get(run) ?? null) : this.#now;
    if (failingSince !== null && (this.#failingSince === null || failingSince < this.#failingSince))
      this.#failingSince = failingSince;
    return { kind: before ? 'still' : 'new', failingSince };
  }

  /** `isAsked` says whether a run belongs to this call's selection and shard. */
  summary(isAsked: (name: string) => boolean): DriftSummary {
    return {
      newFailures: this.#newFailures,
      healed: this.#healed,
      still: this.#still,
      unchanged: this.#unchanged,
      gone: [...this.#previous.keys()].filter((name) => !this.#seen.has(name) && isAsked(name)).sort(),
      failingSince: this.#failingSince,
    };
  }
}
