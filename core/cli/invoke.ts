import { readInputFile } from '../io/input-file.js';
import { composeJson, type JsonNode, parseJson } from '../json/index.js';
import { STATUSES } from '../model/outcome.js';
import { type Conclusion, concludeOutcome } from '../report/conclusion.js';
import { jsonText } from '../report/json-text.js';
import { completeRequest } from '../runner/complete-request.js';
import type { Call } from './command.js';
import { deliver } from './deliver.js';
import { note } from './note.js';
import { usage } from './options.js';
import { withSession } from './with-session.js';

/** `grounding invoke`: one request through the conductor, its stored envelope on standard output. */
export async function execute(call: Call): Promise<Conclusion> {
  const draft = draftRequest(call);
  const envelope = await withSession(call, async ({ session, principal }) => {
    for (const notice of session.notices) await note(call, notice);
    const request = completeRequest(draft, session.world);
    const projectId = call.options.text('project');
    const project = projectId === undefined ? {} : { projectId };
    return (await session.conductor.invoke({ request, principal, ...project })).envelope;
  });
  await deliver(call, jsonText(envelope));
  const status = STATUSES.find((one) => one === envelope.get('outcome')?.get('status')?.string());
  if (status === undefined) throw new Error('the conductor wrote an envelope without a status');
  return concludeOutcome(status);
}

/** The request as the caller gives it, whole or in parts; what it must look like is the conductor's business. */
function draftRequest(call: Call): JsonNode {
  const { options } = call;
  const requestFile = options.text('request');
  const parts = ['agent', 'input', 'conversation'].filter((name) => options.text(name) !== undefined);
  if (requestFile !== undefined && parts.length > 0)
    throw usage(`--request is given with --${parts.join(' and --')}`, 'give a whole request, or its parts');
  if (requestFile !== undefined) return wholeRequest(requestFile);

  const agentId = options.required('agent');
  const file = options.required('input');
  const input = parseJson(readInputFile(file), { file });
  const request = { agent_id: agentId, input, conversation_id: options.text('conversation') };
  // Composed here, so that no line of the input's file is a line of it.
  return parseJson(composeJson(request), { file: '<request>' });
}

function wholeRequest(file: string): JsonNode {
  const request = parseJson(readInputFile(file), { file });
  if (request.kind === 'object') return request;
  throw usage(`the request in ${file} is not an object`, 'write {"agent_id": …, "input": {…}}');
}
