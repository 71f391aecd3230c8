import { type Composable, composeJson, hashOf, parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import { readRecording } from './read-recording.js';
import {
  RECORDING_VERSION,
  type RecordedAgent,
  type RecordedReply,
  type RecordedRun,
  type Recording,
} from './recording.js';

/**
 * Writes a recording; the same one gives the same bytes. Throws GateError `recording-unwritable` for one that could not be
 * read back, which is better known now than when it is needed.
 */
export function composeRecording(recording: Recording, { file }: { readonly file: string }): Uint8Array {
  const { fixture, repeat, offline, fixtureHash, run, children } = recording;
  const recorded = { fixture, repeat, offline, fixture_hash: fixtureHash, runs: [run, ...children].map(runJson) };
  try {
    const read = parseJson(composeJson(recorded), { file });
    const sha256 = hashOf(read, 'dd-json-document-v1');
    const whole = { recording_version: RECORDING_VERSION, sha256, recorded: read };
    const bytes = Buffer.concat([composeJson(whole), Buffer.from('\n')]);
    readRecording(bytes, { file });
    return bytes;
  } catch (cause) {
    if (!(cause instanceof GateError)) throw cause;
    throw gateError('recording-unwritable', {
      blame: 'agent',
      message: `what the agent gave back could not be read from a recording: ${cause.message}`,
      remedy: 'mend the agent, or run this fixture without --record',
      place: { file },
      cause,
    });
  }
}

function runJson(run: RecordedRun): Composable {
  return {
    request: run.request,
    input_hash: run.inputHash,
    agent: agentJson(run.agent),
    started_at: run.startedAt,
    completed_at: run.completedAt,
    envelope_hash: run.envelopeHash,
    told_hash: run.toldHash,
    own_spans: run.ownSpans,
    reply: replyJson(run.reply),
  };
}

function agentJson(agent: RecordedAgent): Composable {
  return {
    agent_id: agent.agentId,
    version: agent.version,
    contract_version: agent.contractVersion,
    grounding_mode: agent.groundingMode,
    accepts: agent.accepts,
    payload: agent.payload,
    classes: agent.classes,
    address: agent.service?.address,
    specification: agent.service?.specification,
  };
}

function replyJson(reply: RecordedReply): Composable {
  if (reply.kind === 'answered') return { kind: reply.kind, result: reply.result, spans: reply.spans };
  return reply.kind === 'failed' ? { kind: reply.kind, message: reply.message } : { kind: reply.kind };
}
