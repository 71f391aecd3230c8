import { composeJson, hashOf, type JsonNode, parseJson } from '../json/index.js';
import { checkRequest } from './accept-request.js';
import { conduct } from './conduct.js';
import type { DelegationRecord } from './grants.js';
import type { InvokedRun } from './ports.js';
import type { ConductorDeps } from './run-context.js';

/** A request that came back from an agent: unchecked, with the token that it claims to come under. */
export interface DelegatedCall {
  readonly request: JsonNode;
  readonly token: string;
  /** W3C traceparent of the span that waits for the run. */
  readonly traceparent: string;
}

/** Runs a child under a live grant (conductor.txt, Delegation); rejects as `Conductor.invokeDelegated` says. */
export async function invokeDelegated(
  deps: ConductorDeps,
  { request, token, traceparent }: DelegatedCall,
): Promise<InvokedRun> {
  const claim = { token, traceparent, agentId: request.get('agent_id')?.string() ?? '' };
  const { grants } = deps;
  if (grants === undefined) throw new Error('a delegated request came to a conductor without grants');
  const child = await grants.use(claim, async ({ invocationId, principal, conversationId, projectId }) => {
    const placement = {
      parentInvocationId: invocationId,
      ...(conversationId === undefined ? {} : { conversationId }),
      ...(projectId === undefined ? {} : { projectId }),
    };
    const own = withoutConversation(request);
    checkRequest(own);
    const run = await conduct(deps, {
      request: own,
      principal,
      placement,
      overWire: true,
      link: traceparent,
      token,
    });
    return { run, record: recordOf(run) };
  });
  return child.run;
}

function recordOf({ envelope, invocationId }: InvokedRun): DelegationRecord {
  const text = (key: string): string => envelope.get(key)?.string() ?? '';
  return {
    delegated_invocation_id: invocationId,
    delegated_agent_id: text('agent_id'),
    delegated_agent_version: text('agent_version'),
    delegated_status: envelope.get('outcome')?.get('status')?.string() ?? '',
    content_hash: hashOf(envelope, 'dd-envelope-json-v1'),
  };
}

function withoutConversation(request: JsonNode): JsonNode {
  if (!request.has('conversation_id')) return request;
  const members = request.entries().filter(([key]) => key !== 'conversation_id');
  return parseJson(composeJson(new Map(members)), { file: request.place().file });
}
