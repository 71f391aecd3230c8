import { type Composable, composeJson } from '../json/index.js';
import type { SearchResult } from '../sources/index.js';
import { type Answer, REFUSALS, type Refusal, refused } from './refusal.js';
import type { DescribedSnapshot, ServedRecord, SourceService } from './source-service.js';

/** A request to the plain door; `target` is path and query as they came, undecoded. */
export interface DoorRequest {
  readonly method: string;
  readonly target: string;
  readonly gone: () => boolean;
}

/** An answer of the plain door: a JSON document. */
export interface DoorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Where the plain door stands below the address that an agent is told. */
export const SOURCES_PATH = '/sources';

/**
 * Answers `GET /sources`, `GET /sources/{snapshot_ref}`, the same with `?q=`, and `GET /sources/{snapshot_ref}/{source_id}`. Both names
 * are percent-encoded, so that an id with a slash is one segment; nothing here is a path on a disk.
 */
export async function answerPlainly(service: SourceService, request: DoorRequest): Promise<DoorReply> {
  if (request.method !== 'GET') return refusalReply(refused('read-only', 'only GET is answered here'));
  const asked = readTarget(request.target);
  if (asked === null) return refusalReply(refused('malformed', 'the address is not percent-encoded UTF-8'));
  const [, ...names] = asked.segments;
  const [snapshotRef, sourceId] = names;
  if (names.length > 2)
    return refusalReply(refused('not-here', 'there is nothing here: an id is one segment, its slashes written %2F'));
  if (snapshotRef === undefined) return reply(200, { snapshots: service.snapshots().map(snapshotJson) });
  if (sourceId !== undefined) {
    const canonicalisation = asked.parameters.get('as') ?? undefined;
    return replyOf(service.fetch({ snapshotRef, sourceId, canonicalisation }), recordJson);
  }
  const query = asked.parameters.get('q');
  if (query === null) return replyOf(service.describe(snapshotRef), snapshotJson);
  const limit = asked.parameters.get('limit');
  const found = await service.search({
    snapshotRef,
    query,
    gone: request.gone,
    ...(limit === null ? {} : { limit: /^[0-9]{1,4}$/.test(limit) ? Number(limit) : Number.NaN }),
  });
  return replyOf(found, (result) => ({ snapshot_ref: snapshotRef, query, ...resultJson(result) }));
}

interface Target {
  readonly segments: readonly string[];
  readonly parameters: URLSearchParams;
}

/** Cut apart before it is decoded, so that no encoded slash or dot is taken for part of a path. */
function readTarget(target: string): Target | null {
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  try {
    const segments = path.split('/').slice(1).map(decodeURIComponent);
    return { segments, parameters: new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1)) };
  } catch {
    return null;
  }
}

/** A record as both doors give it; its numbers keep their text. */
export function recordJson({ snapshotRef, sourceId, canonicalisation, contentHash, record }: ServedRecord): Composable {
  return {
    snapshot_ref: snapshotRef,
    source_id: sourceId,
    hash_algorithm: 'sha256',
    canonicalisation,
    content_hash: contentHash,
    record,
  };
}

/** What a search found, as both doors give it. */
export function resultJson({ hits, matched }: SearchResult): { readonly [key: string]: Composable } {
  return { matched, hits: hits.map(({ sourceId, excerpt }) => ({ source_id: sourceId, excerpt })) };
}

/** A snapshot as both doors describe it. */
export function snapshotJson({ snapshotRef, records }: DescribedSnapshot): Composable {
  return { snapshot_ref: snapshotRef, records };
}

function replyOf<Value>(answer: Answer<Value>, json: (value: Value) => Composable): DoorReply {
  return answer.kind === 'refused' ? refusalReply(answer) : reply(200, json(answer.value));
}

/** A refusal as a reply. */
export function refusalReply({ code, message }: Refusal): DoorReply {
  const more: Readonly<Record<string, string>> =
    code === 'too-many' ? { 'retry-after': '1' } : code === 'grant-unknown' ? { 'www-authenticate': 'Bearer' } : {};
  return reply(REFUSALS[code], { error: { code, message: message.toWellFormed() } }, more);
}

function reply(status: number, document: Composable, more: Readonly<Record<string, string>> = {}): DoorReply {
  const body = composeJson(document, { indent: 0 });
  // What is served to one run is nobody else's, and nothing to keep.
  return { status, headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...more }, body };
}
