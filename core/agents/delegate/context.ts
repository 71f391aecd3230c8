import { type JsonNode, sha256Hex } from '../../json/index.js';
import type { ReasonCode } from '../../model/outcome.js';
import { ATTRIBUTES, SPAN_NAMES } from '../../trace/names.js';
import { timestampOf } from '../../trace/timestamp.js';
import { traceparentOf } from '../../trace/traceparent.js';
import { type RecordedSpan, recordSpans, type SpanRecorder, type TracerWorld } from '../../trace/tracer.js';
import type { DelegatedRequest, DelegatedRun } from '../a2a/delegate-client.js';
import type { AgentCall, Delegation } from '../agent.js';
import { composableOf } from './composable.js';
import type { JsonText } from './json-text.js';
import type { AgentResult, Payload } from './outcomes.js';
import { type AskPort, type DoorRecord, type ServedSources, servedSources } from './served-sources.js';
import {
  CitableSources,
  type EvidenceItem,
  type GroundingReference,
  hashRecord,
  isName,
  misuse,
  type Retrieved,
  type Source,
} from './sources.js';
import { checkedUsage, type Usage, UsageTotals, usageAttributes } from './usage.js';

/** The hash on the span of a fetch that failed: it read no byte, and the linter wants a hash on every retrieval (contract 5). */
const HASH_OF_NOTHING = sha256Hex('');

/** The longest text of an exception that a span keeps. */
const MAX_DESCRIPTION_LENGTH = 500;

/** Which record a retrieval reads and how its hash is made (contract 2). */
export interface RetrievalOptions {
  readonly source_id: string;
  readonly canonicalisation: string;
  /** The copy that the record was read from, as sources.yaml lists it; left out for a live source. */
  readonly snapshot_ref?: string;
  readonly source_uri?: string;
}

/** A run that this one asked for: cite it like a record. */
export interface Delegated extends Source {
  readonly invocation_id: string;
  readonly status: string;
  /** The envelope as it is stored. */
  readonly envelope: unknown;
}

/** How a run asks for another one; the real one is core/agents/a2a/delegate-client.ts. */
export type DelegatePort = (delegation: Delegation, request: DelegatedRequest) => Promise<DelegatedRun>;

interface Ending {
  readonly statement: string;
  /** What the answer rests on besides what was cited; every cited source is evidence anyway. */
  readonly evidence?: readonly Source[];
}

/** What an agent is given for one run. Every method throws once the run is over. */
export interface AgentContext {
  readonly invocation_id: string;
  /** The request as the conductor stored it, without the human it is made for. */
  readonly request: unknown;
  /** W3C traceparent of the run: a header by which a service says which of its runs a model call is for. */
  readonly traceparent: string;
  /** The input as a source: cite it like a record. */
  readonly input: Source;
  /** Runs `read` inside a retrieval span that names the record and the hash of what `read` returned; on a throw the span says ERROR. */
  retrieval<Record>(options: RetrievalOptions, read: () => Promise<Record> | Record): Promise<Retrieved<Record>>;
  /** Runs `call` inside a chat span; report what the server says that it cost. */
  chat<Answer>(model_id: string, call: (report: (usage: Usage) => void) => Promise<Answer> | Answer): Promise<Answer>;
  /**
   * Asks the harness to run another agent and gives the envelope of that run, whatever its outcome. Only in mode `delegation`, and
   * only while this run is in progress; rejects when the harness refuses.
   */
  delegate(agent_id: string, input: object): Promise<Delegated>;
  /** The pinned copies that the conductor serves to this run; null when it serves none. */
  readonly sources: ServedSources | null;
  /** The reference to put into a `grounded_on` list. */
  cite(source: Source): GroundingReference;
  /** The evidence item of a source, for an agent that composes its result by hand. */
  evidence(source: Source): EvidenceItem;
  succeeded(result: Ending & { readonly payload: Payload }): AgentResult;
  abstained(result: Ending & { readonly reason_code: ReasonCode }): AgentResult;
  referred(result: Ending & { readonly reason_code: ReasonCode; readonly referred_to: string }): AgentResult;
}

/** What the runner needs of the context of one run beside what the agent sees. */
export interface RunContext {
  readonly ctx: AgentContext;
  /** Ends the run: throws GateError `agent-misuse` when a span is still open, else gives the spans and the model's cost. */
  seal(): { readonly spans: readonly string[]; readonly usage: ReturnType<UsageTotals['members']> };
}

/** Makes the context of one run; `payloadClass` is what the agent declared. */
export function createContext(call: AgentCall, options: RunOptions): RunContext {
  const run = new Run(call, options);
  return { ctx: run.context(call), seal: () => run.seal() };
}

interface RunOptions {
  readonly payloadClass: string | null;
  readonly world: TracerWorld & { readonly delegate?: DelegatePort; readonly askDoor?: AskPort };
}

class Run {
  readonly #recorder: SpanRecorder;
  readonly #sources = new CitableSources();
  readonly #usage = new UsageTotals();
  readonly #input: Source;
  readonly #payloadClass: string | null;
  /** Asks for another run under this run's grant, which stays in here; null when there is none. */
  readonly #ask: ((request: DelegatedRequest) => Promise<DelegatedRun>) | null;
  readonly #served: ServedSources | null;
  #sealed = false;

  constructor(call: AgentCall, options: RunOptions) {
    this.#recorder = recordSpans(options.world, call.traceparent);
    this.#payloadClass = options.payloadClass;
    const { delegation } = call;
    const { delegate } = options.world;
    this.#ask = delegation === undefined || delegate === undefined ? null : (request) => delegate(delegation, request);
    const { askDoor } = options.world;
    const door = { retrieval: this.#retrieval.bind(this), received: this.#received.bind(this) };
    this.#served =
      call.sources === undefined || askDoor === undefined
        ? null
        : servedSources(call.sources, { ...door, ask: askDoor });
    const reference = { source_id: call.inputRef, content_hash: call.inputHash };
    this.#input = this.#sources.admit(Object.freeze({ ...reference }), {
      ...reference,
      hash_algorithm: 'sha256',
      canonicalisation: 'dd-input-json-v1',
      content: member(call.request, 'input'),
    });
  }

  context(call: AgentCall): AgentContext {
    return Object.freeze({
      invocation_id: member(call.request, 'invocation_id').string() ?? '',
      request: JSON.parse(call.request.text()) as unknown,
      traceparent: call.traceparent,
      input: this.#input,
      retrieval: <R>(options: RetrievalOptions, read: () => Promise<R> | R) => this.#retrieval(options, read),
      chat: <A>(model: string, ask: (report: (usage: Usage) => void) => Promise<A> | A) => this.#chat(model, ask),
      delegate: (agentId: string, input: object) => this.#delegate(agentId, input),
      sources: this.#served,
      cite: (source: Source) => this.#sources.cite(source),
      evidence: (source: Source) => this.#sources.evidence(source),
      succeeded: ({ statement, payload, evidence }: Ending & { readonly payload: Payload }) => ({
        outcome: { status: 'succeeded' as const, statement },
        payload: { schema_class: this.#payloadClass, ...payload },
        evidence: this.#evidenceOf(evidence),
      }),
      abstained: ({ statement, reason_code, evidence }: Ending & { readonly reason_code: ReasonCode }) => ({
        outcome: { status: 'abstained' as const, statement, reason_code },
        evidence: this.#evidenceOf(evidence),
      }),
      referred: (result: Ending & { readonly reason_code: ReasonCode; readonly referred_to: string }) => ({
        outcome: {
          status: 'referred' as const,
          statement: result.statement,
          reason_code: result.reason_code,
          referred_to: result.referred_to,
        },
        evidence: this.#evidenceOf(result.evidence),
      }),
    });
  }

  seal(): ReturnType<RunContext['seal']> {
    this.#sealed = true;
    if (this.#recorder.open > 0)
      throw misuse('the run returned while a retrieval or a model call was under way: await it');
    return { spans: this.#recorder.finished(), usage: this.#usage.members() };
  }

  async #retrieval<R>(options: RetrievalOptions, read: () => Promise<R> | R): Promise<Retrieved<R>> {
    const { source_id, canonicalisation, snapshot_ref, source_uri } = options;
    if (typeof source_id !== 'string' || source_id === '')
      throw misuse('a retrieval needs the source_id of its record');
    const span = this.#start(SPAN_NAMES.retrieval, { [ATTRIBUTES.sourceId]: source_id });
    const { record, content, contentHash } = await this.#within(span, async () => {
      // Set first, so that a fetch that fails has a hash as well.
      span.set({ [ATTRIBUTES.contentHash]: HASH_OF_NOTHING });
      const read_ = await read();
      const hashed = hashRecord(read_, canonicalisation);
      span.set({ [ATTRIBUTES.contentHash]: hashed.contentHash });
      return { record: read_, ...hashed };
    });
    const { endNs } = span.end();
    return this.#sources.admit(Object.freeze({ source_id, content_hash: contentHash, record }), {
      source_id,
      ...(source_uri === undefined ? {} : { source_uri }),
      retrieved_at: timestampOf(endNs),
      ...(snapshot_ref === undefined ? {} : { snapshot_ref }),
      hash_algorithm: 'sha256',
      canonicalisation,
      content_hash: contentHash,
      content,
    });
  }

  /** A record that came another way through a door: the conductor's own span stands behind it. */
  #received(given: DoorRecord): Retrieved<JsonText> {
    const { sourceId, contentHash, snapshotRef, canonicalisation, content, record } = given;
    return this.#sources.admit(Object.freeze({ source_id: sourceId, content_hash: contentHash, record }), {
      source_id: sourceId,
      snapshot_ref: snapshotRef,
      hash_algorithm: 'sha256',
      canonicalisation,
      content_hash: contentHash,
      content,
    });
  }

  async #chat<A>(modelId: string, ask: (report: (usage: Usage) => void) => Promise<A> | A): Promise<A> {
    if (!isName(modelId)) throw misuse('a chat needs a model_id');
    const span = this.#start(SPAN_NAMES.chat, { [ATTRIBUTES.modelId]: modelId });
    let usage: Usage & { readonly model_id: string } = { model_id: modelId };
    const report = (reported: Usage): void => {
      usage = { ...usage, ...checkedUsage(reported) };
      span.set(usageAttributes(usage));
    };
    const answer = await this.#within(span, async () => ask(report)).finally(() => this.#usage.add(usage));
    span.end();
    return answer;
  }

  async #delegate(agentId: string, input: object): Promise<Delegated> {
    if (!isName(agentId)) throw misuse('a delegation needs the agent_id of the other agent');
    const ask = this.#ask;
    if (ask === null) throw misuse('this run has no grant, so that it cannot delegate');
    const span = this.#start(SPAN_NAMES.delegate, { [ATTRIBUTES.agentId]: agentId });
    const { invocationId, envelope, contentHash } = await this.#within(span, () =>
      ask({ agentId, input: composableOf(input), traceparent: traceparentOf(span.address) }),
    );
    const reference = { source_id: `invocation:${invocationId}`, content_hash: contentHash };
    span.set({ [ATTRIBUTES.sourceId]: reference.source_id, [ATTRIBUTES.contentHash]: contentHash });
    span.end();
    const status = envelope.get('outcome')?.get('status')?.string() ?? '';
    const plain = JSON.parse(envelope.text()) as unknown;
    return this.#sources.admit(Object.freeze({ ...reference, invocation_id: invocationId, status, envelope: plain }), {
      ...reference,
      hash_algorithm: 'sha256',
      canonicalisation: 'dd-envelope-json-v1',
    });
  }

  #start(name: string, attributes: Readonly<Record<string, string>>): RecordedSpan {
    if (this.#sealed) throw misuse(`a ${name} was begun after the run had returned`);
    return this.#recorder.start(name, { attributes: { [ATTRIBUTES.operation]: name, ...attributes } });
  }

  /** Runs the work of an open span; a throw ends the span as ERROR and goes on to the agent. */
  async #within<T>(span: RecordedSpan, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      span.fail(describe(error));
      span.end();
      throw error;
    }
  }

  #evidenceOf(more: readonly Source[] = []): EvidenceItem[] {
    return [...new Set([...this.#sources.cited(), ...more.map((source) => this.#sources.evidence(source))])];
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'something was thrown that is not an Error';
  return `${error.name}: ${error.message}`.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed();
}

function member(request: JsonNode, key: string): JsonNode {
  const value = request.get(key);
  if (value === undefined) throw new Error(`the request has no ${key}`);
  return value;
}
