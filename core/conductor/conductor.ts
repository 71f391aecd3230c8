import type { JsonNode } from '../json/index.js';
import type { Principal } from '../model/principal.js';
import type { Requirement } from '../model/requirement.js';
import { checkRequest } from './accept-request.js';
import { conduct } from './conduct.js';
import { type DelegatedCall, invokeDelegated } from './invoke-delegated.js';
import type { InvokedRun } from './ports.js';
import type { ConductorDeps } from './run-context.js';

/** What a front end hands the conductor: the caller's request, unchecked, and whom its authenticator named. */
export interface InvokeCall {
  readonly request: JsonNode;
  readonly principal: Principal;
  /** The project of the conversation that the request names and that starts with it (contract 3). */
  readonly projectId?: string;
  /** The request came over A2A, which knows doubles alone: its integers are restored by the class of its input (contract 8). */
  readonly overWire?: true;
  /** What a fixture's expectation asks of the run, beside what the profile does. */
  readonly require?: Requirement;
}

/** Runs agents and holds each to the same rules, whatever front end calls (conductor.txt). */
export interface Conductor {
  /**
   * Runs one request to a judged, stored envelope. A caller's mistake rejects and stores nothing: `request-malformed`,
   * `request-reserved`, `agent-unknown`, `invocation-stored`, `invocation-running` (contract 7). So do `principal-malformed`,
   * `source-record-changed` and `store-*`, of blame `configuration`. All else becomes an outcome in the envelope.
   */
  invoke(call: InvokeCall): Promise<InvokedRun>;
  /**
   * Runs a child of a run in progress, through every step and in a trace of its own; conversation and principal come from the grant, and
   * the child gets none (conductor.txt, Delegation). Rejects as `invoke` does, and with `grant-unknown`, `grant-second-hand` or
   * `delegation-to-self`.
   */
  invokeDelegated(call: DelegatedCall): Promise<InvokedRun>;
}

/** Makes a conductor; it knows no payload class and no single agent, only what an agent's specification declares. */
export function createConductor(deps: ConductorDeps): Conductor {
  return {
    invoke: (call) => invoke(deps, call),
    invokeDelegated: (call) => invokeDelegated(deps, call),
  };
}

async function invoke(
  deps: ConductorDeps,
  { request, principal, projectId, overWire, require }: InvokeCall,
): Promise<InvokedRun> {
  checkRequest(request);
  const conversationId = request.get('conversation_id')?.string();
  const entry = await deps.projects?.enter({
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(projectId === undefined ? {} : { named: projectId }),
  });
  const required = require === undefined ? {} : { require };
  const call = { request, principal, overWire: overWire === true, ...required };
  if (entry === undefined) return conduct(deps, { ...call, placement: {} });
  const placement = entry.projectId === null ? {} : { projectId: entry.projectId };
  return conduct(deps, { ...call, placement, begun: () => entry.record() });
}
