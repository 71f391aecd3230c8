import { ATTRIBUTES, SPAN_NAMES } from '../trace/index.js';
import type { RunTrace, SpanAttributes } from './ports.js';

/** When something was served: nanoseconds since the Unix epoch, by the conductor's clock. */
interface SeenTimes {
  readonly startNs: bigint;
  readonly endNs: bigint;
}

/** A record that was served; the hash is ours, under the canonicalisation that was asked for. */
export interface SeenRetrieval extends SeenTimes {
  readonly kind: 'retrieval';
  readonly sourceId: string;
  readonly contentHash: string;
  readonly snapshotRef: string;
}

/** A model call that was passed on; what the model's server did not say is null. */
export interface SeenChat extends SeenTimes {
  readonly kind: 'chat';
  /** The model that answered; where the answer names none, the one that was asked. */
  readonly modelId: string | null;
  /** The model that was asked. */
  readonly requestedModelId: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Why there was no answer: a refusal of the server, or a connection that broke; null for an answered call. */
  readonly failure: string | null;
}

/** Something that a door saw. */
export type Seen = SeenRetrieval | SeenChat;

/** What became of a report: `closed` after the agent's answer, `full` when the run has as many spans as it may have. */
export type Noted = 'noted' | 'closed' | 'full';

/**
 * Where a door reports what it serves to one run while that run is in progress. The span is written at once, so a door reports
 * before the first byte of a record leaves it, and serves nothing that was not `noted`.
 */
export interface Witness {
  note(seen: Seen): Noted;
}

/** The conductor's side of a witness. */
export interface RunWitness extends Witness {
  /** How many spans were written. */
  readonly count: number;
  /** Whether any door was opened for the run. */
  readonly offered: boolean;
  offer(): void;
  /** From now on nothing is noted any more. */
  close(): void;
}

/**
 * After how many spans one run is served no more records: each span is kept in memory until the run is stored. A model call is over
 * when it is noted, so that its door bounds the calls beforehand.
 */
export const MAX_WITNESSED_SPANS = 20_000;

/** Writes what doors see into a run's own spans, each marked `dd.witnessed`, directly below the root. */
export function witnessOf(trace: RunTrace): RunWitness {
  let count = 0;
  let offered = false;
  let closed = false;
  return {
    get count() {
      return count;
    },
    get offered() {
      return offered;
    },
    offer: () => {
      offered = true;
    },
    close: () => {
      closed = true;
    },
    note(seen) {
      if (closed) return 'closed';
      if (seen.kind === 'retrieval' && count >= MAX_WITNESSED_SPANS) return 'full';
      count += 1;
      const { startNs, endNs } = seen;
      const failure = seen.kind === 'chat' ? seen.failure : null;
      trace.record(SPAN_NAMES[seen.kind], { startNs, endNs, failure }, attributesOf(seen));
      return 'noted';
    },
  };
}

function attributesOf(seen: Seen): SpanAttributes {
  const mark = { [ATTRIBUTES.operation]: SPAN_NAMES[seen.kind], [ATTRIBUTES.witnessed]: true };
  if (seen.kind === 'retrieval') {
    const { sourceId, contentHash, snapshotRef } = seen;
    return {
      ...mark,
      [ATTRIBUTES.sourceId]: sourceId,
      [ATTRIBUTES.contentHash]: contentHash,
      [ATTRIBUTES.snapshotRef]: snapshotRef,
    };
  }
  const { modelId, requestedModelId, inputTokens, outputTokens } = seen;
  const asked = requestedModelId === modelId ? null : requestedModelId;
  return {
    ...mark,
    ...stated(ATTRIBUTES.modelId, modelId),
    ...stated(ATTRIBUTES.requestedModelId, asked),
    ...stated(ATTRIBUTES.inputTokens, inputTokens),
    ...stated(ATTRIBUTES.outputTokens, outputTokens),
  };
}

function stated(name: string, value: string | number | null): SpanAttributes {
  return value === null ? {} : { [name]: value };
}
