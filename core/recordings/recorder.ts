import type { Agent, AgentCall, AgentRegistry, AgentReply } from '../agents/agent.js';
import type { FinishedRun, RunStore, RunTrace, Tracer } from '../conductor/ports.js';
import { hashOf, type JsonNode, parseJson } from '../json/index.js';
import { messageOf } from '../model/errors.js';
import { recordedAgent } from './recorded-agent.js';
import type { RecordedReply, RecordedRun } from './recording.js';
import { toldHash } from './told-hash.js';

/** What is known of a run once it is stored, and which runs it says that it delegated. */
interface KeptRun {
  readonly run: RecordedRun;
  readonly delegated: readonly string[];
}

/**
 * Listens at the seams of a conductor: what agents reply, the conductor's own spans, and the runs that are stored. It
 * changes nothing on the way. What it heard of a run is taken with `take`, once.
 */
export class Recorder {
  readonly #agents = new Map<string, Agent>();
  readonly #replies = new Map<string, RecordedReply>();
  readonly #spans = new Map<string, readonly string[]>();
  readonly #kept = new Map<string, KeptRun>();

  /** The registry, each of whose agents is listened to. */
  registry(inner: AgentRegistry): AgentRegistry {
    return { ...inner, agents: new Map([...inner.agents].map(([id, agent]) => [id, this.#agent(agent)])) };
  }

  tracer(inner: Tracer): Tracer {
    return { startRun: (attributes, options) => this.#trace(inner.startRun(attributes, options)) };
  }

  store(inner: RunStore): RunStore {
    return {
      reserve: (id) => inner.reserve(id),
      write: async (run) => {
        await inner.write(run);
        this.#keep(run);
      },
      release: async (id) => {
        this.#replies.delete(id);
        await inner.release(id);
      },
    };
  }

  /** A stored run and the runs that it delegated, as its envelope lists them; forgotten afterwards. */
  take(invocationId: string): { readonly run: RecordedRun; readonly children: readonly RecordedRun[] } {
    const kept = this.#kept.get(invocationId);
    if (kept === undefined) throw new Error(`nothing was recorded of the run ${invocationId}`);
    this.#kept.delete(invocationId);
    return { run: kept.run, children: kept.delegated.map((id) => this.take(id).run) };
  }

  #agent(inner: Agent): Agent {
    this.#agents.set(inner.specification.agentId, inner);
    return {
      specification: inner.specification,
      ...(inner.address === undefined ? {} : { address: inner.address }),
      ...(inner.module === undefined ? {} : { module: inner.module }),
      ...(inner.sources === undefined ? {} : { sources: inner.sources }),
      ...(inner.models === undefined ? {} : { models: inner.models }),
      ...(inner.isolated === undefined ? {} : { isolated: inner.isolated }),
      close: () => inner.close(),
      invoke: async (call) => {
        const id = call.request.get('invocation_id')?.string() ?? '';
        try {
          const reply = await inner.invoke(call);
          this.#replies.set(id, answered(reply, call));
          return reply;
        } catch (error) {
          this.#replies.set(id, failed(error, call));
          throw error;
        }
      },
    };
  }

  #trace(inner: RunTrace): RunTrace {
    return {
      ...inner,
      finish: (attributes) => {
        const lines = inner.finish(attributes);
        this.#spans.set(inner.traceId, lines);
        return lines;
      },
    };
  }

  #keep({ invocationId, request, envelope, crate }: FinishedRun): void {
    const node = parseJson(envelope, { file: 'envelope.json' });
    const asked = parseJson(request, { file: 'request.json' });
    const traceId = textAt(node, '/telemetry/trace_id');
    const ownSpans = this.#spans.get(traceId) ?? [];
    const agent = this.#agents.get(textAt(node, '/agent_id'));
    const input = asked.get('input');
    if (agent === undefined || input === undefined) throw new Error(`the run ${invocationId} has no agent or no input`);
    const run: RecordedRun = {
      request: asked,
      invocationId,
      inputHash: hashOf(input, 'dd-input-json-v1'),
      agent: recordedAgent(agent),
      startedAt: crate?.startedAt ?? startOf(ownSpans),
      completedAt: textAt(node, '/completed_at'),
      envelopeHash: hashOf(node, 'dd-envelope-json-v1'),
      toldHash: toldHash(node),
      ownSpans,
      reply: this.#replies.get(invocationId) ?? { kind: 'not-called' },
    };
    this.#spans.delete(traceId);
    this.#replies.delete(invocationId);
    const delegations = node.get('delegations')?.items() ?? [];
    this.#kept.set(invocationId, { run, delegated: delegations.map((one) => textAt(one, '/delegated_invocation_id')) });
  }
}

/** A token is in no file (contract 7); a reply that shows it comes to the same envelope whatever else is in it. */
function answered({ result, spans }: AgentReply, call: AgentCall): RecordedReply {
  const texts = [result.text(), ...spans];
  const shown = tokensOf(call).some((token) => texts.some((text) => text.includes(token)));
  return shown ? { kind: 'showed-token' } : { kind: 'answered', result, spans };
}

function failed(error: unknown, call: AgentCall): RecordedReply {
  const message = messageOf(error);
  const told = tokensOf(call).reduce((rest, token) => rest.replaceAll(token, '(token)'), message);
  return { kind: 'failed', message: told.toWellFormed() };
}

function tokensOf({ delegation, sources }: AgentCall): readonly string[] {
  return [delegation?.token, sources?.token].filter((token) => token !== undefined);
}

/** Only a crate keeps when a run was accepted; its trace began in the same moment. */
function startOf([root = '{}']: readonly string[]): string {
  return textAt(parseJson(Buffer.from(root), { file: 'spans.jsonl' }), '/start_time');
}

function textAt(node: JsonNode, pointer: string): string {
  return node.locate(pointer)?.string() ?? '';
}
