import { type JsonNode, parseJson } from '../../json/index.js';
import type { SourceAccess } from '../agent.js';
import { type JsonText, readJson } from './json-text.js';
import { hashRecord, isName, misuse, type Retrieved } from './sources.js';

/** How a run asks the doors for something below `/sources`; the real one is core/agents/ask-door.ts. */
export type AskPort = (access: SourceAccess, path: string) => Promise<JsonNode>;

/** A record that a search found. Fetch it before relying on it: the excerpt is nothing that could be cited. */
export interface SearchHit {
  readonly source_id: string;
  readonly excerpt: string;
}

/** How a record is hashed, and where a reader finds it. */
export interface FetchOptions {
  readonly canonicalisation?: string;
  readonly source_uri?: string;
}

/** Where an MCP client finds the same copies: the address, and the headers to send with every request. */
export interface McpAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The pinned copies that the conductor serves to this run. What is fetched here is witnessed: the conductor itself writes it down. */
export interface ServedSources {
  /** Fetches one record, whole, and records a retrieval of it. `canonicalisation` says how it is hashed, `dd-json-document-v1` unless given. */
  fetch(snapshot_ref: string, source_id: string, options?: FetchOptions): Promise<Retrieved<JsonText>>;
  /** Looks for words in the records of a snapshot, best matches first. */
  search(snapshot_ref: string, query: string, options?: { readonly limit?: number }): Promise<readonly SearchHit[]>;
  /** Takes what the MCP tool `fetch_record` answered, as text, so that it can be cited. */
  received(text: string): Retrieved<JsonText>;
  readonly mcp: McpAddress;
}

/** What a run does with what it gets: it records a retrieval, or takes what came another way. */
export interface DoorUse {
  readonly ask: AskPort;
  readonly retrieval: (
    source: {
      readonly source_id: string;
      readonly canonicalisation: string;
      readonly snapshot_ref: string;
      readonly source_uri?: string;
    },
    read: () => Promise<JsonText>,
  ) => Promise<Retrieved<JsonText>>;
  readonly received: (record: DoorRecord) => Retrieved<JsonText>;
}

/** Makes what an agent sees of the doors. */
export function servedSources(access: SourceAccess, { ask, retrieval, received }: DoorUse): ServedSources {
  return Object.freeze({
    fetch: async (snapshot_ref: string, source_id: string, options: FetchOptions = {}) => {
      if (!isName(snapshot_ref) || !isName(source_id)) throw misuse('a fetch needs a snapshot_ref and a source_id');
      const { canonicalisation = WHOLE_RECORD, source_uri } = options;
      const source = { source_id, snapshot_ref, canonicalisation, ...(source_uri === undefined ? {} : { source_uri }) };
      return retrieval(source, async () => readDoorRecord(await ask(access, recordPath(source))).record);
    },
    search: async (snapshot_ref: string, query: string, { limit }: { readonly limit?: number } = {}) => {
      if (!isName(snapshot_ref) || !isName(query)) throw misuse('a search needs a snapshot_ref and a query');
      return readHits(await ask(access, searchPath({ snapshot_ref, query, limit })));
    },
    received: (text: string) => received(readDoorRecord(parseJson(Buffer.from(text), { file: '<door>' }))),
    mcp: Object.freeze({
      url: `${access.url}/mcp`,
      headers: Object.freeze({ authorization: `Bearer ${access.token}` }),
    }),
  });
}

/** The projection under which a record is whole (contract 2). */
const WHOLE_RECORD = 'dd-json-document-v1';

/** A record as a door gave it. */
export interface DoorRecord {
  readonly snapshotRef: string;
  readonly sourceId: string;
  readonly canonicalisation: string;
  readonly contentHash: string;
  readonly content: JsonNode;
  readonly record: JsonText;
}

/** Reads what a door gave; throws GateError `agent-misuse` when it is something else, or its hash is not that of its record. */
function readDoorRecord(document: JsonNode): DoorRecord {
  const text = (name: string): string => {
    const value = document.get(name)?.string();
    if (value === undefined) throw misuse(`what the door gave has no ${name}`);
    return value;
  };
  const node = document.get('record');
  if (node === undefined) throw misuse('what the door gave has no record');
  const record = readJson(node.text());
  const canonicalisation = text('canonicalisation');
  const { content, contentHash } = hashRecord(record, canonicalisation);
  if (contentHash !== text('content_hash')) throw misuse('the hash that the door gave is not that of its record');
  return {
    snapshotRef: text('snapshot_ref'),
    sourceId: text('source_id'),
    canonicalisation,
    contentHash,
    content,
    record,
  };
}

/** The hits of a search. */
function readHits(document: JsonNode): readonly SearchHit[] {
  return (document.get('hits')?.items() ?? []).map((hit) => ({
    source_id: hit.get('source_id')?.string() ?? '',
    excerpt: hit.get('excerpt')?.string() ?? '',
  }));
}

/** The address of a record below `/sources`. */
function recordPath(asked: {
  readonly snapshot_ref: string;
  readonly source_id: string;
  readonly canonicalisation: string;
}): string {
  const [ref, id, as] = [asked.snapshot_ref, asked.source_id, asked.canonicalisation].map(encodeURIComponent);
  return `/${ref}/${id}?as=${as}`;
}

/** The address of a search below `/sources`. */
function searchPath(asked: {
  readonly snapshot_ref: string;
  readonly query: string;
  readonly limit: number | undefined;
}): string {
  const limit = asked.limit === undefined ? '' : `&limit=${encodeURIComponent(asked.limit)}`;
  return `/${encodeURIComponent(asked.snapshot_ref)}?q=${encodeURIComponent(asked.query)}${limit}`;
}
