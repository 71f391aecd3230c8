import { readInput } from '../io/input-file.js';
import { type JsonNode, parseJson } from '../json/index.js';
import { GateError } from '../model/errors.js';
import { STATUSES } from '../model/outcome.js';
import { type Conclusion, concludeOutcome } from '../report/conclusion.js';
import { jsonText } from '../report/json-text.js';
import { completeRequest, type RequestWorld } from '../runner/complete-request.js';
import { requestAround } from '../runner/request-around.js';
import { whereInputFails } from '../runner/where-input-fails.js';
import type { Call } from './command.js';
import { deliver, refuseUnwritableOutput } from './deliver.js';
import { note } from './note.js';
import { usage } from './options.js';
import { withSession } from './with-session.js';

/** `grounding invoke`: one request through the conductor, its stored envelope on standard output. */
export async function execute(call: Call): Promise<Conclusion> {
  refuseUnwritableOutput(call);
  const draft = await readDraft(call);
  const envelope = await withSession(call, async ({ session, principal }) => {
    for (const notice of session.notices) await note(call, notice);
    const request = requestOf(draft, session.world);
    const projectId = call.options.text('project');
    const project = projectId === undefined ? {} : { projectId };
    const run = await session.conductor.invoke({ request, principal, ...project }).catch(withoutMadeUpLine);
    const failing = await whereInputFails(session, { request, envelope: run.envelope });
    if (failing !== null) await note(call, failing);
    return run.envelope;
  });
  await deliver(call, jsonText(envelope));
  const status = STATUSES.find((one) => one === envelope.get('outcome')?.get('status')?.string());
  if (status === undefined) throw new Error('the conductor wrote an envelope without a status');
  return concludeOutcome(status);
}

/** A whole request, or the parts of one that still needs its id and its time. */
interface RequestDraft {
  readonly kind: 'whole' | 'parts';
  readonly node: JsonNode;
}

/** A whole request has to name its id and its time (contract 3); of one given in parts they are ours to say. */
function requestOf({ kind, node }: RequestDraft, world: RequestWorld): JsonNode {
  return kind === 'whole' ? node : completeRequest(node, world);
}

/** The request as the caller gives it; what it must look like is the conductor's business. */
async function readDraft(call: Call): Promise<RequestDraft> {
  const { options } = call;
  const requestFile = options.text('request');
  const parts = ['agent', 'input', 'conversation'].filter((name) => options.text(name) !== undefined);
  if (requestFile !== undefined && parts.length > 0)
    throw usage(`--request is given with --${parts.join(' and --')}`, 'give a whole request, or its parts');
  if (requestFile !== undefined) return { kind: 'whole', node: await wholeRequest(requestFile) };

  const agentId = options.required('agent');
  const input = await readInput(options.required('input'));
  const node = requestAround(input, { agent_id: agentId, conversation_id: options.text('conversation') });
  return { kind: 'parts', node };
}

async function wholeRequest(path: string): Promise<JsonNode> {
  const { file, bytes } = await readInput(path);
  const request = parseJson(bytes, { file });
  if (request.kind === 'object') return request;
  throw usage(
    `the request in ${file} is not an object`,
    'write {"invocation_id": …, "agent_id": …, "issued_at": …, "input": {…}}',
  );
}

/** Rejects again; what the flags say stands on no line of the input's file. */
function withoutMadeUpLine(error: unknown): never {
  if (!(error instanceof GateError) || error.place?.line === undefined || error.place.line > 0) throw error;
  const { code, blame, message, remedy } = error;
  throw new GateError(code, { blame, message, ...(remedy === undefined ? {} : { remedy }), cause: error });
}
