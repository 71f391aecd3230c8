import type { JsonNode } from '../json/index.js';
import type { AgentSpecification } from './specification.js';

/** What the conductor hands an agent: the request as stored, and the facts the conductor computed (contract 8). */
export interface AgentCall {
  readonly request: JsonNode;
  /** `input:<invocation_id>` */
  readonly inputRef: string;
  /** `dd-input-json-v1` hash of the stored input. */
  readonly inputHash: string;
  /** W3C traceparent of the run's root span. */
  readonly traceparent: string;
}

/** What an agent gives back: the AgentResult document, still unjudged, and its finished spans, one JSON text each. */
export interface AgentReply {
  readonly result: JsonNode;
  readonly spans: readonly string[];
}

/**
 * An agent that can be run, whatever carries it: a child process or a service. `invoke` rejects with a
 * `GateError` of blame `agent` when the agent throws, dies, stays silent past its timeout or answers rubbish.
 */
export interface Agent {
  readonly specification: AgentSpecification;
  invoke(call: AgentCall): Promise<AgentReply>;
  close(): Promise<void>;
}

/** An entry of agents.yaml that could not be reached, with the reason (contract 7). */
export interface UnavailableAgent {
  /** The entry's `name`, or its module or url. */
  readonly label: string;
  readonly reason: string;
}

/** The agents that a run may call, by exact agent id. */
export interface AgentRegistry {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly unavailable: readonly UnavailableAgent[];
  close(): Promise<void>;
}
