import type { Upstreams } from '../agents/model-gate.js';
import type { Witness } from '../conductor/witness.js';
import { sha256Hex } from '../json/index.js';
import type { Clock } from '../model/ports.js';
import { parseTraceparent } from '../trace/traceparent.js';
import { Budget } from './budget.js';
import type { ObservedCall } from './model-observer.js';
import { type Answer, given, refused } from './refusal.js';

/** What one run may ask of models. */
export const MODEL_LIMITS = {
  burst: 200,
  perSecond: 50,
  callsAtOnce: 64,
  callsOfRun: 5_000,
} as const;

/** A call while it is under way, as the server that carries it knows it. */
export interface CarriedCall {
  /** What was seen of it so far. */
  observed(): ObservedCall;
  /** Breaks it off. */
  cut(): void;
}

/** The same call, as its run knows it. */
export interface OpenCall {
  /** It is over, however it went; a second call does nothing more. */
  end(): void;
}

/** A run in progress whose agent's model calls pass through. */
interface LiveRun {
  readonly required: boolean;
  /** A call begins; it is written down when it is over, as a `chat` span when a model answers it. */
  begin(chat: boolean, call: CarriedCall): Answer<OpenCall>;
}

/** Whom a call belongs to; `unseen` when nobody can tell and no run asks to know. */
export type CallOwner = { readonly kind: 'run'; readonly run: LiveRun } | { readonly kind: 'unseen' };

/** A lane as the server looks it up. */
export interface LaneView {
  readonly upstreams: Upstreams;
  /** The run that a call belongs to, by the traceparent that came with it where several are in progress. */
  owner(traceparent: string | undefined): Answer<CallOwner>;
}

/**
 * The runs whose model calls pass through, and the lanes that these come by. A lane is known by a token in its address; it is
 * kept under its hash, as the tokens of the other doors are.
 */
export class ModelRuns {
  readonly #clock: Clock;
  /** By trace id. */
  readonly #runs = new Map<string, LiveRun>();
  readonly #lanes = new Map<string, LaneView>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Opens a lane; `enter` says for which runs its process is being called. */
  open(token: string, upstreams: Upstreams): { enter(traceparent: string): () => void; close(): void } {
    const key = sha256Hex(token);
    const called = new Set<string>();
    this.#lanes.set(key, { upstreams, owner: (traceparent) => this.#owner(called, traceparent) });
    return {
      enter(traceparent) {
        const id = traceIdOf(traceparent);
        called.add(id);
        return () => void called.delete(id);
      },
      close: () => void this.#lanes.delete(key),
    };
  }

  lane(token: string): LaneView | undefined {
    return this.#lanes.get(sha256Hex(token));
  }

  /** Lets the calls of a run through until the returned function is called, which writes down and breaks off what is under way. */
  admit(traceparent: string, run: { readonly witness: Witness; readonly required: boolean }): () => void {
    const id = traceIdOf(traceparent);
    const { live, end } = liveRun(run, this.#clock);
    this.#runs.set(id, live);
    return () => {
      this.#runs.delete(id);
      end();
    };
  }

  #owner(called: ReadonlySet<string>, traceparent: string | undefined): Answer<CallOwner> {
    const runs = [...called].flatMap((id) => this.#runs.get(id) ?? []);
    const [only] = runs;
    if (only === undefined) return refused('no-run', 'no run of this agent is in progress');
    const named = traceparent === undefined ? undefined : traceIdOf(traceparent);
    const own = named !== undefined && called.has(named) ? this.#runs.get(named) : undefined;
    if (own !== undefined) return given({ kind: 'run', run: own });
    if (runs.length === 1) return given({ kind: 'run', run: only });
    if (!runs.some(({ required }) => required)) return given({ kind: 'unseen' });
    return refused(
      'which-run',
      `${runs.length} runs of this agent are in progress, one of which has to be witnessed, and the call names none: send the traceparent of the message`,
    );
  }
}

function liveRun(
  { witness, required }: { readonly witness: Witness; readonly required: boolean },
  clock: Clock,
): { readonly live: LiveRun; readonly end: () => void } {
  const budget = new Budget(clock, MODEL_LIMITS);
  const open = new Map<CarriedCall, OpenCall>();
  let calls = 0;
  let over = false;
  const begin = (chat: boolean, call: CarriedCall): Answer<OpenCall> => {
    if (over) return refused('no-run', 'the run is over');
    if (!budget.take()) return refused('too-many', 'this run asks too fast: wait a second');
    if (open.size >= MODEL_LIMITS.callsAtOnce)
      return refused('too-many', `this run has ${MODEL_LIMITS.callsAtOnce} calls under way: await them`);
    if (calls >= MODEL_LIMITS.callsOfRun) return refused('run-full', 'this run has made as many calls as one may');
    calls += 1;
    const startNs = clock.nowNs();
    const end = (): void => {
      if (!open.delete(call) || !chat) return;
      witness.note({ kind: 'chat', startNs, endNs: clock.nowNs(), ...call.observed() });
    };
    open.set(call, { end });
    return given({ end });
  };
  const end = (): void => {
    over = true;
    for (const [call, known] of [...open]) {
      known.end();
      call.cut();
    }
  };
  return { live: { required, begin }, end };
}

/** A traceparent that is none names no run. */
function traceIdOf(traceparent: string): string {
  return parseTraceparent(traceparent)?.traceId ?? '';
}
