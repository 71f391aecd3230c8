import type { JsonNode } from '../json/index.js';
import type { ModelAttribution } from './model-gate.js';
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
  /** What an agent in mode `delegation` may ask for other runs with; left out when it may not. */
  readonly delegation?: Delegation;
  /** Where pinned copies are served to this run, and the token for it; left out when none are. */
  readonly sources?: SourceAccess;
}

/**
 * The doors to the pinned copies as they travel: `dd.sources_url` and `dd.sources_token`. Unlike a delegation token, this one reaches
 * the agent's code, whose framework has to be told it.
 */
export interface SourceAccess {
  readonly url: string;
  readonly token: string;
}

/** A grant as it travels (contract 8): the harness's own address, and the token. Neither is stored, logged or shown to the agent's code. */
export interface Delegation {
  readonly url: string;
  readonly token: string;
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
  /** The snapshots that its entry of agents.yaml allows it to be served; left out for none. */
  readonly sources?: readonly string[];
  /** How its runs' model calls are told apart, when they pass through us; left out when they do not. */
  readonly models?: ModelAttribution;
  /** Whether it runs where only our doors exist, when its entry asks for that. */
  readonly isolated?: boolean;
  /** Where it answers, for a service that runs without us; left out for an agent that we start. */
  readonly address?: string;
  /** The file that it was loaded from; left out for a service. */
  readonly module?: string;
  invoke(call: AgentCall): Promise<AgentReply>;
  close(): Promise<void>;
}

/** An entry of agents.yaml that could not be reached, with the reason (contract 7). */
export interface UnavailableAgent {
  /** The entry's `name`, or its module or url. */
  readonly label: string;
  readonly reason: string;
  /** Its url, for a service that runs without us. */
  readonly address?: string;
  /** What the command printed that we started; for the operator alone, since it may hold anything. */
  readonly log?: LogTail;
}

/** The end of what a service printed since it was started; the lines are the service's own and not made safe. */
export interface LogTail {
  readonly file: string;
  readonly lines: readonly string[];
}

/** An entry of agents.yaml that leads to an agent which was made for another contract (contract 8). */
export interface IncompatibleAgent {
  readonly label: string;
  /** The contract version that its card declares. */
  readonly theirs: string;
  /** The contract version of this build. */
  readonly ours: string;
}

/** The agents that a run may call, by exact agent id. */
export interface AgentRegistry {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly unavailable: readonly UnavailableAgent[];
  readonly incompatible: readonly IncompatibleAgent[];
  close(): Promise<void>;
}
