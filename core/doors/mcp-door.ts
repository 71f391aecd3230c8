import {
  createMcpHandler,
  fromJsonSchema,
  type McpHttpHandler,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { type Composable, composeJson, utf8Text } from '../json/index.js';
import { recordJson, resultJson, snapshotJson } from './http-door.js';
import { MAX_MESSAGE_BYTES } from './mcp-path.js';
import { type Answer, type Refusal, refused } from './refusal.js';
import { RUN_LIMITS, type SourceService } from './source-service.js';

/**
 * The same service over MCP (streamable HTTP, without sessions, so that nothing is kept of a client): the tools `search_source` and
 * `fetch_record`, and snapshots and records as resources. A record that is read either way has been served.
 */
export function mcpDoor(service: SourceService): McpHttpHandler {
  return createMcpHandler(() => serverOf(service), {
    maxRequestBodySize: MAX_MESSAGE_BYTES,
    // Nothing changes while a run is served, so that there is nothing to subscribe to.
    maxSubscriptions: 1,
  });
}

interface SearchArguments {
  readonly snapshot_ref: string;
  readonly query: string;
  readonly limit?: number;
}

interface FetchArguments {
  readonly snapshot_ref: string;
  readonly source_id: string;
  readonly canonicalisation?: string;
}

const TEXT = { type: 'string', maxLength: RUN_LIMITS.textLength } as const;
const READS = { readOnlyHint: true, openWorldHint: false } as const;

function serverOf(service: SourceService): McpServer {
  const server = new McpServer({ name: 'grounding-gate-sources', version: '1.0.0' });
  const known = service.snapshots().map(({ snapshotRef }) => snapshotRef);
  const snapshot = { ...TEXT, description: `One of: ${known.join(', ')}` } as const;
  server.registerTool(
    'search_source',
    {
      description:
        'Looks for words in the records of a pinned copy. Gives ids with an excerpt, best first; fetch a record before relying on it.',
      annotations: READS,
      inputSchema: fromJsonSchema<SearchArguments>({
        type: 'object',
        required: ['snapshot_ref', 'query'],
        additionalProperties: false,
        properties: {
          snapshot_ref: snapshot,
          query: { ...TEXT, description: 'Words; any of them may match, at the beginning of a word.' },
          limit: { type: 'integer', minimum: 1, maximum: RUN_LIMITS.hits },
        },
      }),
    },
    async ({ snapshot_ref, query, limit }, { mcpReq }) => {
      const gone = (): boolean => mcpReq.signal.aborted;
      return toolResult(await service.search({ snapshotRef: snapshot_ref, query, limit, gone }), resultJson);
    },
  );
  server.registerTool(
    'fetch_record',
    {
      description:
        'Gives one record of a pinned copy, with the content_hash to cite it by. What is cited has to be fetched in this run.',
      annotations: READS,
      inputSchema: fromJsonSchema<FetchArguments>({
        type: 'object',
        required: ['snapshot_ref', 'source_id'],
        additionalProperties: false,
        properties: {
          snapshot_ref: snapshot,
          source_id: TEXT,
          canonicalisation: {
            ...TEXT,
            description: 'How the record is hashed; dd-json-document-v1 unless it is given.',
          },
        },
      }),
    },
    ({ snapshot_ref, source_id, canonicalisation }) =>
      toolResult(service.fetch({ snapshotRef: snapshot_ref, sourceId: source_id, canonicalisation }), recordJson),
  );
  addResources(server, service);
  return server;
}

const JSON_TYPE = { mimeType: 'application/json' } as const;

function addResources(server: McpServer, service: SourceService): void {
  for (const { snapshotRef } of service.snapshots())
    server.registerResource(snapshotRef, `sources:/${encodeURIComponent(snapshotRef)}`, JSON_TYPE, ({ href }) =>
      contents(href, { answer: service.describe(snapshotRef), json: snapshotJson }),
    );
  const template = new ResourceTemplate('sources:/{snapshot_ref}/{source_id}', { list: undefined });
  server.registerResource('record', template, JSON_TYPE, ({ href }) => {
    const asked = readAddress(href);
    const answer = asked === null ? refused('malformed', 'the address is no record') : service.fetch(asked);
    return contents(href, { answer, json: recordJson });
  });
}

/** Both names are percent-encoded in the address of a record, as in the plain door. */
function readAddress(href: string): { readonly snapshotRef: string; readonly sourceId: string } | null {
  const [, snapshot, id, more] = href.split('/');
  if (snapshot === undefined || id === undefined || more !== undefined) return null;
  try {
    return { snapshotRef: decodeURIComponent(snapshot), sourceId: decodeURIComponent(id) };
  } catch {
    return null;
  }
}

/** A refusal is a result that says so: the model behind the client can mend what it asked. */
function toolResult<Value>(answer: Answer<Value>, json: (value: Value) => Composable) {
  const text = answer.kind === 'refused' ? refusalText(answer) : jsonText(json(answer.value));
  return { content: [{ type: 'text' as const, text }], ...(answer.kind === 'refused' ? { isError: true } : {}) };
}

function contents<Value>(
  uri: string,
  { answer, json }: { readonly answer: Answer<Value>; readonly json: (value: Value) => Composable },
) {
  if (answer.kind === 'refused') throw new Error(refusalText(answer));
  return { contents: [{ uri, ...JSON_TYPE, text: jsonText(json(answer.value)) }] };
}

function refusalText({ code, message }: Refusal): string {
  return `${code}: ${message.toWellFormed()}`;
}

function jsonText(document: Composable): string {
  return utf8Text(composeJson(document, { indent: 0 }));
}
