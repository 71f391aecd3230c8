import { byCodePoint, parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';
import { isBadState, type StoredRunVerdict } from '../model/stored-run.js';
import type { IndexLine } from '../store/index.js';
import { type DriftNote, readNote } from './drift-note.js';
import { type FailureFacts, failureFacts, isNewIn } from './failure-facts.js';
import { readVerdict } from './read-verdict.js';

/** What changed since the report before; names in folder-name order. */
export interface DriftSummary {
  readonly newFailures: readonly string[];
  readonly healed: readonly string[];
  readonly still: number;
  readonly unchanged: number;
  /** Runs of the report before, failing then or not, that are neither in the archive now nor in its index. */
  readonly gone: readonly string[];
  /** The earliest time at which a run that fails now was first seen failing; null when none is known. */
  readonly failingSince: string | null;
}

/** A run that failed in the report before: since when, null when the report does not say, and by what. */
interface PreviousFailure {
  readonly since: string | null;
  readonly facts: FailureFacts;
}

/** The runs of a report before, in folder-name order; null for one that did not fail. */
export type PreviousRuns = ReadonlyMap<string, PreviousFailure | null>;

/**
 * Reads an earlier `reverify --format json`. Throws GateError `previous-malformed`, blame `caller`, for a line that is no
 * verdict or contradicts itself, and for a run that stands there out of order or twice: of two verdicts the milder one
 * would hide a failure.
 */
export async function readPrevious(lines: AsyncIterable<IndexLine>, file: string): Promise<PreviousRuns> {
  const runs = new Map<string, PreviousFailure | null>();
  let before: string | undefined;
  for await (const { line, bytes } of lines) {
    const row = bytes === null ? undefined : parseJson(bytes, { file, firstLine: line });
    const verdict = row === undefined ? undefined : readVerdict(row);
    const note = row === undefined ? undefined : readNote(row);
    if (row === undefined || verdict === undefined || note === undefined)
      throw malformed({ file, line }, 'the line is no verdict on a run');
    if (row.get('passed')?.boolean() !== (verdict.state === 'passed'))
      throw malformed({ file, line }, 'the line says that a run passed and that it did not');
    if (before !== undefined && byCodePoint(before, verdict.run) >= 0)
      throw malformed({ file, line }, 'the run stands there twice, or out of order');
    before = verdict.run;
    const fails = isBadState(verdict.state);
    runs.set(verdict.run, fails ? { since: note.failingSince ?? null, facts: failureFacts(verdict) } : null);
  }
  return runs;
}

/** Compares verdicts, as they come, with a report before. */
export class Drift {
  readonly #previous: PreviousRuns;
  readonly #now: string;
  readonly #seen = new Set<string>();
  readonly #newFailures: string[] = [];
  readonly #healed: string[] = [];
  #still = 0;
  #unchanged = 0;
  #failingSince: string | null = null;

  /** `now` is when this report is made, RFC 3339. */
  constructor(previous: PreviousRuns, now: string) {
    this.#previous = previous;
    this.#now = now;
  }

  note(verdict: StoredRunVerdict): DriftNote {
    const { run, state } = verdict;
    const before = this.#previous.get(run) ?? null;
    if (this.#previous.has(run)) this.#seen.add(run);
    if (!isBadState(state)) {
      if (before !== null) this.#healed.push(run);
      else this.#unchanged++;
      return { kind: before === null ? 'unchanged' : 'healed' };
    }
    // Who alters a run that fails anyway must not get past a check that only new failures stop.
    const kind = before === null || isNewIn(failureFacts(verdict), before.facts) ? 'new' : 'still';
    if (kind === 'new') this.#newFailures.push(run);
    else this.#still++;
    const failingSince = before === null ? this.#now : before.since;
    if (failingSince !== null && (this.#failingSince === null || failingSince < this.#failingSince))
      this.#failingSince = failingSince;
    return { kind, failingSince };
  }

  /** `isAsked` says whether a run belongs to this call's selection and shard. */
  summary(isAsked: (name: string) => boolean): DriftSummary {
    return {
      newFailures: this.#newFailures,
      healed: this.#healed,
      still: this.#still,
      unchanged: this.#unchanged,
      gone: [...this.#previous.keys()].filter((name) => !this.#seen.has(name) && isAsked(name)),
      failingSince: this.#failingSince,
    };
  }
}

function malformed(place: { readonly file: string; readonly line: number }, message: string): GateError {
  return gateError('previous-malformed', {
    blame: 'caller',
    message,
    remedy: 'give a report that `grounding reverify --format json` or `grounding merge --format json` wrote',
    place,
  });
}
