import { type Composable, composeJson, hashOf, type JsonNode, parseJson } from '../../json/index.js';
import { gateError } from '../../model/error-codes.js';
import type { Clock, Ids } from '../../model/ports.js';
import { timestampOf } from '../../trace/timestamp.js';
import type { Delegation } from '../agent.js';
import type { HttpClient } from './http.js';
import { ARTIFACTS, MAX_BODY_BYTES, METADATA, RPC_PATH } from './protocol.js';
import { below } from './read-card.js';
import { completedArtifacts } from './read-task.js';
import { sendMessage } from './send-message.js';
import { onlyPart } from './task-answer.js';

/** A run that an agent asks the harness for. */
export interface DelegatedRequest {
  readonly agentId: string;
  readonly input: Composable;
  /** W3C traceparent of the span that waits for it. */
  readonly traceparent: string;
}

/** The stored envelope of a run that was asked for, and its `dd-envelope-json-v1` hash. */
export interface DelegatedRun {
  readonly invocationId: string;
  readonly envelope: JsonNode;
  readonly contentHash: string;
}

/** What asking needs of the world. */
export interface DelegateWorld {
  readonly http: HttpClient;
  readonly invocationIds: Ids;
  readonly clock: Clock;
}

/** The agent's own time limit ends a call sooner; this one only keeps a forgotten one from living for ever. */
const MAX_WAIT_MS = 3_600_000;

/** An envelope comes as text, whose quotes are escaped, and as data beside it; each holds what an agent answered with 16 MB at most. */
const MAX_ENVELOPE_BYTES = 4 * MAX_BODY_BYTES;

/**
 * Asks the harness to run another agent under a grant (conductor.txt, Delegation). The envelope comes as text, so that its hash is
 * that of what is stored. Rejects with a GateError of blame `agent`; none of its texts holds the token.
 */
export async function delegateOver(
  { url, token }: Delegation,
  { request, world }: { readonly request: DelegatedRequest; readonly world: DelegateWorld },
): Promise<DelegatedRun> {
  const invocationId = world.invocationIds.invocationId();
  const data = parseJson(
    composeJson({
      invocation_id: invocationId,
      agent_id: request.agentId,
      issued_at: timestampOf(world.clock.nowNs()),
      input: request.input,
    }),
    { file: '<request>' },
  );
  const metadata = { [METADATA.delegationToken]: token, [METADATA.traceparent]: request.traceparent };
  const session = world.http.within(MAX_WAIT_MS, MAX_ENVELOPE_BYTES);
  try {
    // The address of the harness, or the one where it takes calls: the reference may give either.
    const endpoint = url.endsWith(RPC_PATH) ? url : below(url, RPC_PATH);
    const message = { endpoint, messageId: invocationId, data, metadata };
    return readEnvelope(await sendMessage(message, session), invocationId);
  } finally {
    session.close();
  }
}

function readEnvelope(result: JsonNode, invocationId: string): DelegatedRun {
  const artifact = completedArtifacts(result).find((one) => one.get('name')?.string() === ARTIFACTS.envelopeJson);
  const text = onlyPart(artifact, 'text')?.string();
  if (text === undefined) throw faulty('the harness answered without an envelope');
  const envelope = parseJson(Buffer.from(text, 'utf8'), { file: '<envelope>' });
  if (envelope.get('invocation_id')?.string() !== invocationId)
    throw faulty('the harness answered with the envelope of another run');
  return { invocationId, envelope, contentHash: hashOf(envelope, 'dd-envelope-json-v1') };
}

function faulty(message: string): Error {
  return gateError('agent-reply', { blame: 'agent', message });
}
