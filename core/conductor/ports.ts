import type { JsonNode } from '../json/index.js';
import type { GroundingReport, SourcesReport } from '../model/report.js';

/** A run that is finished and judged, as the store writes it; every member holds the very bytes of its file. */
export interface FinishedRun {
  readonly invocationId: string;
  readonly request: Uint8Array;
  readonly envelope: Uint8Array;
  readonly spans: Uint8Array;
  readonly groundingText: string;
  readonly sourcesText: string;
  /** Class schemas to keep at `schemas/<digest>.json`: digest to bytes. */
  readonly schemas: ReadonlyMap<string, Uint8Array>;
  /** What the store needs to write `crate/`; null with DD_WRITE_CRATE=0, and then there is no such folder. */
  readonly crate: CrateFacts | null;
}

/**
 * What the run crate says beyond the files themselves. The store composes `ro-crate-metadata.json` (the conductor may not
 * import the store) and takes agent, principal, outcome, problem and end from the envelope that it stores.
 */
export interface CrateFacts {
  /** RFC 3339: when the conductor accepted the request. */
  readonly startedAt: string;
  /** The specification's description of the agent. */
  readonly agentDescription: string;
  /** The agent was not called: the run was judged again from a recording. */
  readonly replayed?: true;
}

/** Where runs are kept (contract 7). A run appears whole or not at all; a stored one is never overwritten. */
export interface RunStore {
  /**
   * Reserves the id for this process until `write` or `release`. Rejects with a GateError of blame `caller`:
   * `invocation-id-malformed`, `invocation-stored` or `invocation-running`; or of blame `configuration`: `store-*`.
   */
  reserve(invocationId: string): Promise<void>;
  /** Stores a reserved run, whole or not at all; whether it fulfils or rejects (`store-*`), the reservation is over. */
  write(run: FinishedRun): Promise<void>;
  /** Gives a reservation up; does nothing when there is none. */
  release(invocationId: string): Promise<void>;
}

/** What `invoke` gives its caller. */
export interface InvokedRun {
  readonly invocationId: string;
  readonly envelope: JsonNode;
  readonly grounding: GroundingReport;
  readonly sources: SourcesReport;
}

/** What a span of the conductor's own may carry. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A started child span; ends once. */
export interface OpenSpan {
  end(): void;
}

/**
 * The trace of one run. Its root span `invoke_agent` is open from `startRun` to `finish`; times are explicit and
 * nanosecond-fine, so that an agent's spans nest inside it.
 */
export interface RunTrace {
  /** 32 lower-case hex digits, as `telemetry.trace_id` has it. */
  readonly traceId: string;
  /** W3C traceparent that names the root span. */
  readonly traceparent: string;
  /** Starts a child of the root span. */
  child(name: string, attributes: SpanAttributes): OpenSpan;
  /** Adds a child of the root for a step that is over; times are nanoseconds since the epoch. */
  record(
    name: string,
    step: { readonly startNs: bigint; readonly endNs: bigint; readonly failure: string | null },
    attributes: SpanAttributes,
  ): void;
  /** Sets the last attributes of the root, ends it, and returns the run's own spans as one-line JSON texts (contract 4), the root first. */
  finish(attributes: SpanAttributes): readonly string[];
}

/** Where the conductor's own spans come from; the real one is core/trace/tracer.ts. */
export interface Tracer {
  /** Starts a run's root span `invoke_agent` in a trace of its own; `link` is the traceparent of a span that asked for the run. */
  startRun(attributes: SpanAttributes, options?: { readonly link?: string }): RunTrace;
}

/** The project that a run belongs to, decided before it starts. */
export interface ProjectEntry {
  /** Null for a run that belongs to none. */
  readonly projectId: string | null;
  /** Records the project of a conversation that starts; does nothing when that is recorded already. */
  record(): Promise<void>;
}

/** What became of a succeeded payload in a project: nothing to it, refused with the reason, or added. */
export type ProposedPayload =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'added'; undo(): Promise<void> };

/** What projects do to runs (contract 3); the conductor knows neither what is in one nor which classes it minds. */
export interface Projects {
  /**
   * The project of a run, from its conversation or as the front end names it when the conversation starts. Rejects
   * with a GateError of blame `caller`: `project-unknown`, `project-conversation`, `conversation-of-another`.
   */
  enter(run: { readonly conversationId?: string; readonly named?: string }): Promise<ProjectEntry>;
  /** The input that the agent is given: what was sent, with the project's facts in the place of the caller's. */
  placeFacts(projectId: string, input: JsonNode): Promise<JsonNode>;
  /** Offers the payload of a run that succeeded and kept the contract. */
  propose(
    projectId: string,
    run: { readonly invocationId: string; readonly payload: JsonNode },
  ): Promise<ProposedPayload>;
}
