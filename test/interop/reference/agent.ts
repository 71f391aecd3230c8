// An agent as the reference's Python SDK serves it, by hand from contract 8, on plain node:http.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canonical, dumps, Float, type PyValue, sha256, throughStruct } from './python.js';

const EXTENSION = 'https://w3id.org/data-director/a2a/agent-spec/v0';

/** What the agent was sent. */
export interface SeenCall {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly request: Record<string, unknown>;
  readonly metadata: Record<string, string>;
}

export interface ReferenceAgent {
  readonly url: string;
  readonly calls: SeenCall[];
  close(): Promise<void>;
}

/** How it behaves: what answers a call, and what its card says otherwise than usual. */
export interface Behaviour {
  readonly mode?: 'retrieval' | 'delegation';
  readonly card?: (usual: Record<string, PyValue>, asked: number) => Record<string, PyValue>;
  readonly cardText?: (usual: string, asked: number) => string;
  readonly onCard?: (response: ServerResponse) => boolean;
  readonly onCall?: (call: SeenCall, response: ServerResponse) => Promise<void> | void;
  readonly answer?: (call: SeenCall) => Promise<AgentAnswer>;
}

export interface AgentAnswer {
  readonly result: PyValue;
  readonly spans: readonly string[];
}

const LOOKUP: PyValue = {
  type: 'object',
  required: ['schema_class', 'term'],
  properties: {
    schema_class: { type: 'string', enum: ['Lookup'] },
    term: { type: 'string', minLength: 1, maxLength: 200 },
    limit: { type: 'integer', minimum: 1 },
    weight: { type: 'number', minimum: new Float(0.5) },
  },
};
const FINDING: PyValue = {
  type: 'object',
  required: ['schema_class', 'text', 'grounded_on'],
  properties: {
    schema_class: { type: 'string', enum: ['Finding'] },
    text: { type: 'string' },
    count: { type: 'integer' },
    grounded_on: { type: 'array', items: { type: 'object' } },
  },
};

/** The record that the agent reads: integers among its numbers, which a Struct turns into doubles. */
export const RECORD: PyValue = {
  id: 'ref:1',
  name: 'Møbius ∞ register',
  year: 2021,
  score: new Float(1.5),
  counts: [1, 0, -7],
  open: true,
  none: null,
};

export function specification(agentId: string, mode: 'retrieval' | 'delegation'): Record<string, PyValue> {
  const schemas = { Lookup: LOOKUP, Finding: FINDING };
  return {
    agent_id: agentId,
    version: '0.3.1',
    description: 'Looks one record up.',
    action_class: 'lookup',
    accepts: ['Lookup'],
    grounding_mode: mode,
    payload: 'Finding',
    derivations: { text: { how: 'template', recorded_in: null }, count: { how: 'registry', recorded_in: 'text' } },
    contract_version: '0.7.2',
    schemas: Object.fromEntries(
      Object.entries(schemas).map(([name, json_schema]) => [
        name,
        { digest: sha256(canonical(json_schema)), json_schema },
      ]),
    ),
  };
}

export async function startReferenceAgent(agentId: string, behaviour: Behaviour = {}): Promise<ReferenceAgent> {
  const calls: SeenCall[] = [];
  let asked = 0;
  let url = '';
  const server = createServer((request, response) => {
    void handle(request, response).catch((error) => response.destroy(error));
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET' && request.url === '/.well-known/agent-card.json') {
      if (behaviour.onCard?.(response)) return;
      const usual = card({ agentId, url, mode: behaviour.mode ?? 'retrieval' });
      const chosen = behaviour.card?.(usual, asked) ?? usual;
      const text = throughStruct(chosen);
      response.writeHead(200, { 'content-type': 'application/json' }).end(behaviour.cardText?.(text, asked) ?? text);
      asked += 1;
      return;
    }
    if (request.method !== 'POST' || request.url !== '/a2a') return void response.writeHead(404).end();
    const body = await text(request);
    const call = seen(request, body);
    calls.push(call);
    const id = (JSON.parse(body) as { id: number }).id;
    if (behaviour.onCall !== undefined) return behaviour.onCall(call, response);
    // The Python server compares the major version alone, and refuses a request that names none.
    if (!String(request.headers['a2a-version']).startsWith('1.')) {
      const error = { code: -32009, message: 'version not supported' };
      return void response.writeHead(200).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    }
    const answer = behaviour.answer ?? lookUp;
    response.writeHead(200, { 'content-type': 'application/json' }).end(completed(id, await answer(call)));
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    calls,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function card(given: { readonly agentId: string; readonly url: string; readonly mode: 'retrieval' | 'delegation' }) {
  return {
    name: given.agentId,
    description: 'A reference agent.',
    supportedInterfaces: [{ url: `${given.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    version: '0.3.1',
    capabilities: {
      extensions: [
        {
          uri: EXTENSION,
          description: 'What the agent declares.',
          required: true,
          params: specification(given.agentId, given.mode),
        },
      ],
    },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: [{ id: 'run', name: 'run', description: 'Answers one request.', tags: ['agent'] }],
  };
}

/** A reply with a completed task, its parts as ProtoJSON of a Struct. */
export function completed(id: number, { result, spans }: AgentAnswer): string {
  const data = throughStruct({ result, spans: [...spans] });
  const artifact = `{"artifactId": "${randomUUID()}", "name": "agent-result", "parts": [{"data": ${data}}]}`;
  const status = '{"state": "TASK_STATE_COMPLETED", "timestamp": "2026-09-30T10:00:00.000Z"}';
  const task = `{"id": "${randomUUID()}", "contextId": "${randomUUID()}", "status": ${status}, "artifacts": [${artifact}]}`;
  return `{"jsonrpc": "2.0", "id": ${id}, "result": {"task": ${task}}}`;
}

async function lookUp(call: SeenCall): Promise<AgentAnswer> {
  const record_hash = sha256(canonical(RECORD));
  const trace = traceOf(call);
  const read = trace.span('retrieval', { 'dd.source_id': 'ref:1', 'dd.content_hash': record_hash });
  const asked = trace.span('chat', { 'dd.model_id': 'model-py', 'dd.input_tokens': 12, 'dd.output_tokens': 3 });
  return {
    result: {
      outcome: { status: 'succeeded', statement: 'Found one record.' },
      payload: {
        schema_class: 'Finding',
        text: 'Møbius',
        count: 1,
        grounded_on: [{ source_id: 'ref:1', content_hash: record_hash }],
      },
      evidence: [
        {
          source_id: 'ref:1',
          source_uri: 'urn:ref:1',
          retrieved_at: '2026-09-30T10:00:00Z',
          snapshot_ref: 'ref:2026-09',
          hash_algorithm: 'sha256',
          canonicalisation: 'dd-json-document-v1',
          content_hash: record_hash,
          content: RECORD,
        },
      ],
      model_id: 'model-py',
      input_tokens: 12,
      output_tokens: 3,
    },
    spans: [asked, read],
  };
}

/** Spans below the conductor's root, as `ReadableSpan.to_json(indent=None)` writes them. */
export function traceOf({ metadata }: SeenCall) {
  const [, traceId = '', parentId = ''] = (metadata['traceparent'] ?? '').split('-');
  let now = Date.now() * 1000;
  const time = (): string => {
    now += 1;
    const seconds = new Date(Math.floor(now / 1000)).toISOString().slice(0, 20);
    return `${seconds}${String(now % 1_000_000).padStart(6, '0')}Z`;
  };
  return {
    traceId,
    parentId,
    span: (name: string, attributes: Record<string, PyValue>): string =>
      dumps({
        name,
        context: {
          trace_id: `0x${traceId}`,
          span_id: `0x${randomBytes(8).toString('hex')}`,
          trace_state: '[]',
        },
        kind: 'SpanKind.INTERNAL',
        parent_id: `0x${parentId}`,
        start_time: time(),
        end_time: time(),
        status: { status_code: 'UNSET' },
        attributes: { 'dd.operation': name, ...attributes },
        events: [],
        links: [],
        resource: {
          attributes: { 'telemetry.sdk.language': 'python', 'service.name': 'unknown_service' },
          schema_url: '',
        },
      }),
  };
}

function seen(request: IncomingMessage, body: string): SeenCall {
  const { params } = JSON.parse(body) as {
    params: { message: { parts: { data: Record<string, unknown> }[]; metadata: Record<string, string> } };
  };
  const data = params.message.parts[0]?.data;
  if (data === undefined) throw new Error('the message has no data part');
  return { headers: request.headers, body, request: data, metadata: params.message.metadata };
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
