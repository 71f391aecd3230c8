import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES } from '../../core/doors/mcp-path.js';
import { hashOf, parseJson } from '../../core/json/index.js';
import { ask, doorStage, RECORDS } from './stage.js';

const stage = await doorStage();
const RECORD = { snapshot_ref: 'snap:1', source_id: 'rec:1' };

/** What clients send along with a message, by the revision of the protocol that they speak. */
function headersOf(token: string, version: string): Readonly<Record<string, string>> {
  return {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
  };
}

interface RpcReply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a server of JSON-RPC may answer with
  readonly result: any;
  readonly error: { readonly message: string } | undefined;
}

/** One JSON-RPC call as clients of the protocol's 2025 revisions send it: sessionless, answered as JSON or as one event. */
async function rpc(token: string, method: string, params: object): Promise<RpcReply> {
  const response = await fetch(`${stage.url}/mcp`, {
    method: 'POST',
    headers: headersOf(token, '2025-06-18'),
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await response.text();
  const event = text
    .split('\n')
    .find((line) => line.startsWith('data: '))
    ?.slice(6);
  const message = text === '' ? {} : JSON.parse(event ?? text);
  return { status: response.status, result: message.result, error: message.error };
}

const call = (token: string, name: string, args: object) => rpc(token, 'tools/call', { name, arguments: args });

describe('the MCP door', () => {
  it('shakes hands and lists its tools', async () => {
    const { token } = stage.begin();
    const hello = await rpc(token, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    expect(hello.result.serverInfo.name).toBe('grounding-gate-sources');
    const { result } = await rpc(token, 'tools/list', {});
    expect(result.tools.map((tool: { readonly name: string }) => tool.name)).toEqual(['search_source', 'fetch_record']);
  });

  it('finds and fetches, and the witness hears of what was fetched alone', async () => {
    const { token, seen } = stage.begin();
    const found = await call(token, 'search_source', { snapshot_ref: 'snap:1', query: 'ocean' });
    expect(JSON.parse(found.result.content[0].text)).toEqual({
      matched: 1,
      hits: [{ source_id: 'rec:1', excerpt: 'Ocean tides at Cuxhaven' }],
    });
    expect(seen).toEqual([]);
    const fetched = await call(token, 'fetch_record', { snapshot_ref: 'snap:1', source_id: 'rec:1' });
    const contentHash = hashOf(parseJson(Buffer.from(RECORDS[0] ?? ''), { file: 'r' }), 'dd-json-document-v1');
    expect(fetched.result.content[0].text).toContain('"depth":1.50');
    expect(JSON.parse(fetched.result.content[0].text)).toMatchObject({ source_id: 'rec:1', content_hash: contentHash });
    expect(seen).toEqual([expect.objectContaining({ sourceId: 'rec:1', contentHash, snapshotRef: 'snap:1' })]);
  });

  it('gives snapshots and records as resources, and a record that is read so was served', async () => {
    const { token, seen } = stage.begin();
    const { result } = await rpc(token, 'resources/list', {});
    expect(result.resources).toMatchObject([{ name: 'snap:1', uri: 'sources:/snap%3A1' }]);
    const about = await rpc(token, 'resources/read', { uri: 'sources:/snap%3A1' });
    expect(JSON.parse(about.result.contents[0].text)).toEqual({ snapshot_ref: 'snap:1', records: 4 });
    const read = await rpc(token, 'resources/read', { uri: 'sources:/snap%3A1/a%2Fb%20c' });
    expect(JSON.parse(read.result.contents[0].text)).toMatchObject({ source_id: 'a/b c' });
    expect(seen).toEqual([expect.objectContaining({ sourceId: 'a/b c' })]);
  });

  it.each([
    ['a snapshot that the run may not see', 'fetch_record', { snapshot_ref: 'snap:2', source_id: 'rec:1' }],
    ['a record that is not there', 'fetch_record', { snapshot_ref: 'snap:1', source_id: '../a.jsonl' }],
    ['a search where the run may not look', 'search_source', { snapshot_ref: 'snap:2', query: 'everybody' }],
    ['arguments of another shape', 'fetch_record', { snapshot_ref: 'snap:1', source_id: 7 }],
    ['more hits than there are', 'search_source', { snapshot_ref: 'snap:1', query: 'tides', limit: 1e9 }],
  ])('refuses %s as a result that says so', async (_, name, args) => {
    const { token, seen } = stage.begin();
    const { result, error } = await call(token, name, args);
    expect(error !== undefined || result.isError).toBe(true);
    expect(JSON.stringify(result ?? error)).not.toContain('Not for everybody');
    expect(seen).toEqual([]);
  });

  it('refuses records that are no resources of the run', async () => {
    const { token, seen } = stage.begin();
    for (const uri of [
      'sources:/snap%3A2/rec%3A1',
      'sources:/snap%3A1/x',
      'sources:/snap%3A1/%zz',
      'file:///etc/passwd',
    ])
      expect((await rpc(token, 'resources/read', { uri })).error).toBeDefined();
    expect(seen).toEqual([]);
  });

  it('is shut once the run is over', async () => {
    const { token, end } = stage.begin();
    end();
    expect((await rpc(token, 'tools/list', {})).status).toBe(401);
  });

  it('reads no message beyond its bound', async () => {
    const { token } = stage.begin();
    const headers = { 'content-type': 'application/json' };
    const body = ' '.repeat(MAX_MESSAGE_BYTES + 1);
    expect((await ask(stage, { path: '/mcp', token, method: 'POST', body, headers })).status).toBe(400);
  });

  it('answers one message at a time, so that each is counted', async () => {
    const { token, seen } = stage.begin();
    const one = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'fetch_record', arguments: RECORD } };
    const body = `\n ${JSON.stringify([1, 2].map((id) => ({ ...one, id })))}`;
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    expect((await ask(stage, { path: '/mcp', token, method: 'POST', body, headers })).status).toBe(400);
    expect(seen).toEqual([]);
  });

  it.each(['GET', 'DELETE', 'PUT', 'TRACE'])('answers 405 to %s', async (method) => {
    const { token } = stage.begin();
    expect((await ask(stage, { path: '/mcp', token, method })).status).toBe(405);
  });

  it('ends a stream that is left open when the run ends', async () => {
    const { token, end } = stage.begin();
    const version = '2026-07-28';
    const about = { protocolVersion: version, clientInfo: { name: 'test', version: '1' }, clientCapabilities: {} };
    const meta = Object.fromEntries(Object.entries(about).map(([key, of]) => [`io.modelcontextprotocol/${key}`, of]));
    const response = await fetch(`${stage.url}/mcp`, {
      method: 'POST',
      headers: { ...headersOf(token, version), 'mcp-method': 'subscriptions/listen' },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' },
        params: { notifications: { toolsListChanged: true }, _meta: meta },
      }),
    });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('acknowledged');
    end();
    await expect(reader?.read()).rejects.toThrow();
  });

  it('takes an agent that leaves in the middle of its message for no error of ours', async () => {
    const { token } = stage.begin();
    const socket = connect(stage.port, '127.0.0.1');
    socket.write(`POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 9\r\n\r\n{`);
    await sleep(200);
    socket.destroy();
    await sleep(200);
    expect(stage.errors).toEqual([]);
  });

  it('reports nothing as an error of ours', () => {
    expect(stage.errors).toEqual([]);
  });
});
