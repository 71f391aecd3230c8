import { composeJson, type JsonNode } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import type { Agent, AgentCall, AgentReply } from './agent.js';
import { readAnswer, readGreeting } from './agent-messages.js';
import type { AgentProcess, StartAgentProcess } from './agent-process.js';
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
  readonly start: StartAgentProcess;
}

/**
 * Starts a module's agent and reads what it declares. Rejects with a GateError of blame `configuration`: `agent-module` when the
 * module cannot be loaded or exports no agent, `agent-specification` when it declares something faulty.
 */
export async function openModuleAgent(options: ModuleAgentOptions): Promise<Agent> {
  const process = options.start(options);
  process.arm(options.timeoutMs);
  try {
    const declared = readGreeting(await process.greeting());
    const specification = parseSpecification(declared, { label: options.label });
    process.disarm();
    return new ModuleAgent(options, { specification, declared, process });
  } catch (error) {
    process.kill();
    throw asConfigurationError(error, options);
  }
}

interface Registered {
  readonly specification: AgentSpecification;
  readonly declared: JsonNode;
  readonly process: AgentProcess;
}

/** One process for every call in flight; a process that answered well serves the next call, one that did not is killed. */
class ModuleAgent implements Agent {
  readonly specification: AgentSpecification;
  readonly sources: readonly string[];
  readonly module: string;
  readonly #options: ModuleAgentOptions;
  readonly #declared: string;
  readonly #idle: AgentProcess[];
  readonly #busy = new Set<AgentProcess>();
  #calls = 0;
  #closed = false;

  constructor(options: ModuleAgentOptions, registered: Registered) {
    this.#options = options;
    this.sources = options.sources ?? [];
    this.specification = registered.specification;
    this.module = options.module;
    this.#declared = registered.declared.text();
    this.#idle = [registered.process];
  }

  async invoke(call: AgentCall): Promise<AgentReply> {
    if (this.#closed) throw new Error(`the agent ${this.specification.agentId} was closed`);
    const waiting = this.#takeIdle();
    const process = waiting ?? this.#options.start(this.#options);
    this.#busy.add(process);
    process.arm(this.#options.timeoutMs);
    try {
      if (waiting === undefined) this.#recognise(readGreeting(await process.greeting()));
      const reply = await this.#ask(process, call);
      process.disarm();
      this.#idle.push(process);
      return reply;
    } catch (error) {
      process.kill();
      throw asAgentError(error);
    } finally {
      this.#busy.delete(process);
      if (this.#closed) process.kill();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const process of [...this.#idle, ...this.#busy]) process.kill();
  }

  async #ask(process: AgentProcess, call: AgentCall): Promise<AgentReply> {
    const id = ++this.#calls;
    const { request, inputRef, inputHash, traceparent, delegation, sources } = call;
    const facts = { id, request, input_ref: inputRef, input_hash: inputHash, traceparent };
    const grant = delegation === undefined ? {} : { delegate_url: delegation.url, delegation_token: delegation.token };
    const doors = sources === undefined ? {} : { sources_url: sources.url, sources_token: sources.token };
    const message = { ...facts, ...grant, ...doors };
    return readAnswer(await process.exchange(composeJson(message, { indent: 0 })), id);
  }

  /** The last one used first: it is the warmest. Those that died meanwhile are left behind. */
  #takeIdle(): AgentProcess | undefined {
    for (let process = this.#idle.pop(); process !== undefined; process = this.#idle.pop()) {
      if (process.alive) return process;
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
    remedy: 'mend the module; it must load, and export by default what defineAgent of grounding-gate/agent returns',
    cause: error,
  });
}
