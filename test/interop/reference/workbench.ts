// The reference's conductor as far as it calls an agent, by hand from contract 8, on plain node:http.
import { randomBytes, randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { canonical, Float, type PyValue, sha256, throughStruct } from './python.js';

const EXTENSION = 'https://w3id.org/data-director/a2a/agent-spec/v0';

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** What an agent answered, with the numbers that were integers restored. */
export interface CalledAgent {
  readonly raw: string;
  readonly state: string;
  readonly error: string | undefined;
  readonly result: Record<string, PyValue> | undefined;
  readonly spans: readonly string[];
  readonly traceId: string;
}

export function send(
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Record<string, string>;
    readonly body?: string | Buffer;
  } = {},
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, {
      method: options.method ?? 'GET',
      agent: false,
      headers: options.headers ?? {},
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    outgoing.end(options.body);
  });
}

/** The specification that a card carries; the Python client reads the extension's uri and params alone. */
export async function readSpecification(base: string): Promise<Record<string, PyValue>> {
  const { body } = await send(`${base}/.well-known/agent-card.json`);
  const card = JSON.parse(body) as { capabilities: { extensions: { uri: string; params: unknown }[] } };
  const found = card.capabilities.extensions.find(({ uri }) => uri === EXTENSION);
  return fromStruct(found?.params) as Record<string, PyValue>;
}

/** A message as the Python client posts it: Struct numbers as doubles, a version header, no header for extensions. */
export function messageBody(data: PyValue, metadata: Record<string, string>): string {
  const message = `{"messageId": "${randomUUID()}", "role": "ROLE_USER", "parts": [{"data": ${throughStruct(data)}}], "metadata": ${throughStruct(metadata)}}`;
  return `{"jsonrpc": "2.0", "id": "${randomUUID()}", "method": "SendMessage", "params": {"message": ${message}, "configuration": {}}}`;
}

export function post(base: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  return send(`${base}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'A2A-Version': '1.0', ...headers },
    body,
  });
}

/** Calls an agent as the conductor of the reference does. */
export async function callAgent(
  base: string,
  call: { readonly agentId: string; readonly input: PyValue; readonly metadata?: Record<string, string> },
): Promise<CalledAgent> {
  const invocationId = newInvocationId();
  const traceId = randomBytes(16).toString('hex');
  const request: PyValue = {
    invocation_id: invocationId,
    agent_id: call.agentId,
    issued_at: '2026-09-30T10:00:00Z',
    input: call.input,
  };
  const metadata = {
    'dd.input_ref': `input:${invocationId}`,
    'dd.input_hash': sha256(canonical(call.input)),
    traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`,
    ...call.metadata,
  };
  const { body } = await post(base, messageBody(request, metadata));
  return { ...readTask(body), traceId };
}

export function readTask(body: string): Omit<CalledAgent, 'traceId'> {
  const reply = JSON.parse(body) as {
    result?: {
      task?: {
        status: { state: string; message?: { parts: { data?: { error?: string } }[] } };
        artifacts?: { name: string; parts: { data: { result: unknown; spans: string[] } }[] }[];
      };
    };
  };
  const task = reply.result?.task;
  const data = task?.artifacts?.find(({ name }) => name === 'agent-result')?.parts[0]?.data;
  return {
    raw: body,
    state: task?.status.state ?? '',
    error: task?.status.message?.parts[0]?.data?.error,
    result: data === undefined ? undefined : (fromStruct(data.result) as Record<string, PyValue>),
    spans: data?.spans ?? [],
  };
}

/** What a Struct gives back: doubles alone, of which the integral ones are taken for integers. */
export function fromStruct(value: unknown): PyValue {
  if (typeof value === 'number') return Number.isInteger(value) ? value : new Float(value);
  if (Array.isArray(value)) return value.map(fromStruct);
  if (typeof value !== 'object' || value === null) return value as PyValue;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromStruct(item)]));
}

export function newInvocationId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  const hex = randomBytes(10).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-a${hex.slice(3, 6)}-${hex.slice(6, 18)}`;
}
