// The reference's callback endpoint, by hand from contract 8: it takes delegated requests and answers with a stored envelope.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canonical, dumps, Float, type PyValue, sha256, throughStruct } from './python.js';
import { fromStruct } from './workbench.js';

export interface ReferenceHarness {
  readonly url: string;
  readonly token: string;
  readonly seen: { readonly request: Record<string, PyValue>; readonly metadata: Record<string, string> }[];
  /** The children that it would record: id to hash of the stored envelope. */
  readonly recorded: Map<string, string>;
  close(): Promise<void>;
}

export async function startReferenceHarness(): Promise<ReferenceHarness> {
  const token = randomBytes(32).toString('base64url');
  const seen: { request: Record<string, PyValue>; metadata: Record<string, string> }[] = [];
  const recorded = new Map<string, string>();
  const server = createServer((request, response) => {
    void body(request).then((text) => {
      const call = JSON.parse(text) as {
        id: unknown;
        params: { message: { parts: { data: unknown }[]; metadata: Record<string, string> } };
      };
      const { metadata, parts } = call.params.message;
      const child = fromStruct(parts[0]?.data) as Record<string, PyValue>;
      seen.push({ request: child, metadata });
      const reply =
        metadata['dd.delegation_token'] === token
          ? completed(child, recorded)
          : `{"status": {"state": "TASK_STATE_FAILED", "message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"data": {"error": "unknown token"}}]}}}`;
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"jsonrpc": "2.0", "id": ${JSON.stringify(call.id)}, "result": {"task": ${reply}}}`);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    seen,
    recorded,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function completed(child: Record<string, PyValue>, recorded: Map<string, string>): string {
  const id = String(child['invocation_id']);
  const envelope: PyValue = {
    invocation_id: id,
    agent_id: child['agent_id'] ?? '',
    agent_version: '1.0.0',
    completed_at: '2026-09-30T10:00:01.000000Z',
    outcome: { status: 'succeeded', statement: 'Antwoord ✓' },
    payload: {
      schema_class: 'Reply',
      score: new Float(2),
      count: 12345678901234567890n.toString().length,
      grounded_on: [],
    },
    telemetry: { energy_method: 'not_measured', input_tokens: 3, energy_estimate_j: null },
  };
  recorded.set(id, sha256(canonical(envelope)));
  const stored = dumps(envelope);
  return `{"id": "${randomUUID()}", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": [
    {"artifactId": "1", "name": "envelope", "parts": [{"data": ${throughStruct(envelope)}}]},
    {"artifactId": "2", "name": "envelope-json", "parts": [{"text": ${JSON.stringify(stored)}, "mediaType": "application/json"}]}]}`;
}

async function body(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
