import { composeJson, type JsonNode } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import type { Agent, AgentCall, AgentReply } from './agent.js';
import { readAnswer, readGreeting } from './agent-messages.js';
import type { AgentProcess, StartAgentProcess } from './agent-process.js';
import type { ModelAttribution, ModelGate, ModelLane, Upstreams } from './model-gate.js';
import { remedyForModule } from './module-remedy.js';
import { parseSpecification } from './parse-specification.js';
import type { AgentSpecification } from './specification.js';

/** How a module's agent is started; `label` names it in messages. */
export interface ModuleAgentOptions {
  readonly module: string;
  readonly label: string;
  readonly environment: ReadonlyMap<string, string>;
  /** Bounds a whole call, the start of its process included. */
  readonly timeoutMs: number;
  /** The snapshots that it may be served; left out for none. */
  readonly sources?: readonly string[];
  /** The model servers that its calls pass through to us; left out for none. */
  readonly models?: { readonly gate: ModelGate; readonly upstreams: Upstreams };
  /** Whether `start` isolates it; left out where its entry does not ask for that. */
  readonly isolated?: boolean;
  readonly start: StartAgentProcess;
}

/**
 * Starts a module's agent and reads what it declares. Rejects with a GateError of blame `configuration`: `agent-module` when the
 * module cannot be loaded or exports no agent, `agent-specification` when it declares something faulty.
 */
export async function openModuleAgent(options: ModuleAgentOptions): Promise<Agent> {
  const hosted = await startHosted(options);
  const { process } = hosted;
  process.arm(options.timeoutMs);
  try {
    const declared = readGreeting(await process.greeting());
    const specification = parseSpecification(declared, { label: options.label });
    process.disarm();
    return new ModuleAgent(options, { specification, declared, hosted });
  } catch (error) {
    endHosted(hosted);
    throw asConfigurationError(error, options);
  }
}

/** A process with its own way to models, so that a call that comes by it is of the one run that the process works on. */
interface Hosted {
  readonly process: AgentProcess;
  readonly lane: ModelLane | null;
}

async function startHosted(options: ModuleAgentOptions): Promise<Hosted> {
  const { models, start } = options;
  const lane = models === undefined ? null : await models.gate.lane(models.upstreams);
  return { process: start(lane === null ? options : { ...options, doors: lane.environment }), lane };
}

function endHosted({ process, lane }: Hosted): void {
  process.kill();
  lane?.close();
}

interface Registered {
  readonly specification: AgentSpecification;
  readonly declared: JsonNode;
  readonly hosted: Hosted;
}

/** One process for every call in flight; a process that answered well serves the next call, one that did not is killed. */
class ModuleAgent implements Agent {
  readonly specification: AgentSpecification;
  readonly sources: readonly string[];
  readonly module: string;
  readonly models?: ModelAttribution;
  readonly isolated?: boolean;
  readonly #options: ModuleAgentOptions;
  readonly #declared: string;
  readonly #idle: Hosted[];
  readonly #busy = new Set<Hosted>();
  #calls = 0;
  #closed = false;

  constructor(options: ModuleAgentOptions, registered: Registered) {
    this.#options = options;
    this.sources = options.sources ?? [];
    if (options.models !== undefined) this.models = 'by-process';
    if (options.isolated !== undefined) this.isolated = options.isolated;
    this.specification = registered.specification;
    this.module = options.module;
    this.#declared = registered.declared.text();
    this.#idle = [registered.hosted];
  }

  async invoke(call: AgentCall): Promise<AgentReply> {
    if (this.#closed) throw new Error(`the agent ${this.specification.agentId} was closed`);
    const waiting = this.#takeIdle();
    const hosted = waiting ?? (await startHosted(this.#options));
    const { process, lane } = hosted;
    if (this.#closed) endHosted(hosted);
    this.#busy.add(hosted);
    process.arm(this.#options.timeoutMs);
    const leave = lane?.enter(call.traceparent);
    try {
      if (waiting === undefined) this.#recognise(readGreeting(await process.greeting()));
      const reply = await this.#ask(process, call);
      process.disarm();
      this.#idle.push(hosted);
      return reply;
    } catch (error) {
      endHosted(hosted);
      throw asAgentError(error);
    } finally {
      leave?.();
      this.#busy.delete(hosted);
      if (this.#closed) endHosted(hosted);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const hosted of [...this.#idle, ...this.#busy]) endHosted(hosted);
  }

  async #ask(process: AgentProcess, call: AgentCall): Promise<AgentReply> {
    const id = ++this.#calls;
    const { request, inputRef, inputHash, traceparent, delegation, sources } = call;
    const facts = { id, request, input_ref: inputRef, input_hash: inputHash, traceparent };
    const grant =
      delegation === undefined
        ? {}
        : { delegate_url: process.inside(delegation.url), delegation_token: delegation.token };
    const doors =
      sources === undefined ? {} : { sources_url: process.inside(sources.url), sources_token: sources.token };
    const message = { ...facts, ...grant, ...doors };
    return readAnswer(await process.exchange(composeJson(message, { indent: 0 })), id);
  }

  /** The last one used first: it is the warmest. Those that died meanwhile are left behind. */
  #takeIdle(): Hosted | undefined {
    for (let hosted = this.#idle.pop(); hosted !== undefined; hosted = this.#idle.pop()) {
      if (hosted.process.alive) return hosted;
      hosted.lane?.close();
    }
    return undefined;
  }

  /** A module that was edited after its registration is not the agent that the profile let in. */
  #recognise(declared: JsonNode): void {
    if (declared.text() === this.#declared) return;
    throw gateError('agent-changed', {
      blame: 'agent',
      message: 'its module declares something else than when it was registered',
      remedy: 'start again to register it anew',
    });
  }
}

/** A faulty greeting of a fresh process is the agent's doing, although at registration it was the configuration's. */
function asAgentError(error: unknown): unknown {
  if (!(error instanceof GateError) || error.blame === 'agent') return error;
  return new GateError(error.code, { blame: 'agent', message: error.message, cause: error });
}

function asConfigurationError(error: unknown, options: ModuleAgentOptions): unknown {
  if (!(error instanceof GateError) || error.blame === 'configuration') return error;
  return gateError('agent-module', {
    blame: 'configuration',
    message: `the module ${options.module} gave no agent: ${error.message}`,
    remedy: remedyForModule(error.message, options.module),
    cause: error,
  });
}
