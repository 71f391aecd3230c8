import { validateRecording } from '../contract/documents.js';
import { faultsText } from '../contract/faults.js';
import { hashOf, type JsonNode, parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import { GROUNDING_MODES } from '../model/report.js';
import { InstantReader, readSpans } from '../trace/index.js';
import {
  RECORDING_VERSION,
  type RecordedAgent,
  type RecordedReply,
  type RecordedRun,
  type Recording,
} from './recording.js';

/**
 * Reads a recording. Throws GateError `recording-refused`, which says why, for one that was cut short or altered, or has
 * another version: its own SHA-256 must be that of what it holds. That is no signature: whoever writes one can write the other.
 */
export function readRecording(bytes: Uint8Array, { file }: { readonly file: string }): Recording {
  const document = parse(bytes, file);
  const version = document.get('recording_version')?.integer();
  if (version !== undefined && version !== RECORDING_VERSION)
    throw refused(file, `the recording is of version ${version}, this reads version ${RECORDING_VERSION}`);
  const faults = validateRecording(document);
  if (faults.length > 0) throw refused(file, `this is no recording: ${faultsText(faults)}`);
  const recorded = member(document, 'recorded');
  if (hashOf(recorded, 'dd-json-document-v1') !== text(document, 'sha256'))
    throw refused(file, 'the recording was altered: its SHA-256 is not that of what it holds');
  const runs = member(recorded, 'runs').items().map(runOf);
  const [run, ...children] = runs;
  if (run === undefined) throw refused(file, 'the recording holds no run');
  for (const one of runs) refuseUnusable(one, file);
  return {
    fixture: text(recorded, 'fixture'),
    repeat: member(recorded, 'repeat').integer() ?? 0,
    offline: member(recorded, 'offline').boolean() ?? false,
    fixtureHash: text(recorded, 'fixture_hash'),
    run,
    children,
  };
}

function parse(bytes: Uint8Array, file: string): JsonNode {
  try {
    return parseJson(bytes, { file });
  } catch (cause) {
    if (!(cause instanceof GateError)) throw cause;
    throw refused(file, `the recording cannot be read: ${cause.message}`, cause);
  }
}

function runOf(node: JsonNode): RecordedRun {
  const request = member(node, 'request');
  return {
    request,
    invocationId: text(request, 'invocation_id'),
    inputHash: text(node, 'input_hash'),
    agent: agentOf(member(node, 'agent')),
    startedAt: text(node, 'started_at'),
    completedAt: text(node, 'completed_at'),
    envelopeHash: text(node, 'envelope_hash'),
    toldHash: text(node, 'told_hash'),
    ownSpans: texts(member(node, 'own_spans')),
    reply: replyOf(member(node, 'reply')),
  };
}

function agentOf(node: JsonNode): RecordedAgent {
  const groundingMode = GROUNDING_MODES.find((mode) => mode === text(node, 'grounding_mode'));
  if (groundingMode === undefined) throw new Error('a valid recording names no grounding mode');
  const address = node.get('address')?.string();
  const specification = node.get('specification');
  return {
    agentId: text(node, 'agent_id'),
    version: text(node, 'version'),
    contractVersion: text(node, 'contract_version'),
    groundingMode,
    accepts: texts(member(node, 'accepts')),
    payload: member(node, 'payload').string() ?? null,
    classes: new Map(
      member(node, 'classes')
        .entries()
        .map(([name, digest]) => [name, digest.string() ?? '']),
    ),
    service: address === undefined || specification === undefined ? null : { address, specification },
  };
}

function replyOf(node: JsonNode): RecordedReply {
  const kind = text(node, 'kind');
  if (kind === 'answered') return { kind, result: member(node, 'result'), spans: texts(member(node, 'spans')) };
  if (kind === 'failed') return { kind, message: text(node, 'message') };
  return kind === 'not-called' ? { kind } : { kind: 'showed-token' };
}

/** The times and the conductor's own spans are put to use, so that they must be what the conductor writes. */
function refuseUnusable(run: RecordedRun, file: string): void {
  const instants = new InstantReader();
  if ([run.startedAt, run.completedAt].some((time) => instants.read(time) === undefined))
    throw refused(file, 'a time of the recording is none');
  if (hashOf(member(run.request, 'input'), 'dd-input-json-v1') !== run.inputHash)
    throw refused(file, 'the recorded input is not the one that its hash names');
  try {
    const bytes = Buffer.from(run.ownSpans.map((line) => `${line}\n`).join(''));
    if (readSpans(bytes, { file }).length !== run.ownSpans.length) throw refused(file, 'one of the own spans is none');
  } catch (cause) {
    if (!(cause instanceof GateError) || cause.code === 'recording-refused') throw cause;
    throw refused(file, `the conductor's own spans cannot be read: ${cause.message}`, cause);
  }
}

function refused(file: string, message: string, cause?: unknown): Error {
  return gateError('recording-refused', {
    blame: 'unreadable',
    message,
    remedy: 'record the fixture again with grounding run --record',
    place: { file },
    ...(cause === undefined ? {} : { cause }),
  });
}

function member(node: JsonNode, key: string): JsonNode {
  const found = node.get(key);
  if (found === undefined) throw new Error(`a valid recording lacks ${key}`);
  return found;
}

function text(node: JsonNode, key: string): string {
  return member(node, key).string() ?? '';
}

function texts(node: JsonNode): readonly string[] {
  return node.items().flatMap((item) => item.string() ?? []);
}
