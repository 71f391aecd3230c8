import { gateError } from '../../model/error-codes.js';
import type { Agent, AgentCall, AgentReply } from '../agent.js';
import type { ModelAttribution, ModelLane } from '../model-gate.js';
import type { AgentSpecification } from '../specification.js';
import type { HttpClient, HttpSession } from './http.js';
import { METADATA } from './protocol.js';
import { type FetchedCard, fetchCard } from './read-card.js';
import { readTask } from './read-task.js';
import { sendMessage } from './send-message.js';
import type { ServiceProcess } from './service-process.js';

/** An agent that is a service, as it was registered. */
export interface RegisteredService {
  readonly specification: AgentSpecification;
  /** Where its card stands. */
  readonly base: string;
  /** Where it takes calls. */
  readonly endpoint: string;
  /** Its card, by whose hash it is known. */
  readonly card: FetchedCard;
  /** Bounds a whole call, the reading of the card included. */
  readonly timeoutMs: number;
  /** The snapshots that it may be served. */
  readonly sources: readonly string[];
  /** Its way to models; null for none of ours. */
  readonly models: { readonly lane: ModelLane; readonly attribution: ModelAttribution } | null;
  /** Whether it runs isolated; left out where its entry does not ask for that. */
  readonly isolated?: boolean;
}

/** An agent reached by A2A; its card is read again before every call, and one that changed is not the agent that was registered. */
export class ServiceAgent implements Agent {
  readonly specification: AgentSpecification;
  readonly sources: readonly string[];
  readonly address?: string;
  readonly models?: ModelAttribution;
  readonly isolated?: boolean;
  readonly #service: RegisteredService;
  readonly #http: HttpClient;
  /** Null for a service that runs without us. */
  readonly #command: ServiceProcess | null;
  readonly #calls = new Set<HttpSession>();

  constructor(
    service: RegisteredService,
    world: { readonly http: HttpClient; readonly command: ServiceProcess | null },
  ) {
    this.specification = service.specification;
    this.sources = service.sources;
    if (service.models !== null) this.models = service.models.attribution;
    if (service.isolated !== undefined) this.isolated = service.isolated;
    if (world.command === null) this.address = service.base;
    this.#service = service;
    this.#http = world.http;
    this.#command = world.command;
  }

  async invoke(call: AgentCall): Promise<AgentReply> {
    if (this.#command?.ended !== undefined) {
      throw gateError('agent-exited', { blame: 'agent', message: `its command ${this.#command.ended}` });
    }
    const session = this.#http.within(this.#service.timeoutMs);
    this.#calls.add(session);
    const leave = this.#service.models?.lane.enter(call.traceparent);
    try {
      await this.#recognise(session);
      return readTask(await this.#send(call, session));
    } finally {
      leave?.();
      this.#calls.delete(session);
      session.close();
    }
  }

  async close(): Promise<void> {
    for (const session of this.#calls) session.close();
    await this.#command?.stop();
    this.#service.models?.lane.close();
  }

  async #recognise(session: HttpSession): Promise<void> {
    const { base, card } = this.#service;
    const { hash } = await fetchCard(session, { base, pinned: card });
    if (hash === card.hash) return;
    throw gateError('agent-changed', {
      blame: 'agent',
      message: `its card is not the one that was registered (${hash.slice(0, 12)}, not ${card.hash.slice(0, 12)})`,
      remedy: 'start again to register it anew',
    });
  }

  #send(call: AgentCall, session: HttpSession) {
    const { request, inputRef, inputHash, traceparent, delegation, sources } = call;
    const inside = (url: string): string => this.#command?.inside(url) ?? url;
    const metadata = {
      [METADATA.inputRef]: inputRef,
      [METADATA.inputHash]: inputHash,
      [METADATA.traceparent]: traceparent,
      ...(delegation === undefined
        ? {}
        : { [METADATA.delegateUrl]: inside(delegation.url), [METADATA.delegationToken]: delegation.token }),
      ...(sources === undefined
        ? {}
        : { [METADATA.sourcesUrl]: inside(sources.url), [METADATA.sourcesToken]: sources.token }),
    };
    const messageId = request.get('invocation_id')?.string() ?? inputRef;
    return sendMessage({ endpoint: this.#service.endpoint, messageId, data: request, metadata }, session);
  }
}
