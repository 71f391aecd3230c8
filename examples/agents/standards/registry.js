// @ts-check
// Where records are read from: the pinned selection beside this repository, or a live FAIRsharing at FAIRSHARING_URL.
import { readFileSync } from 'node:fs';
import { readJson, readJsonLines } from 'grounding-gate/agent';

/**
 * @typedef {import('./catalogue.js').Entry} Entry
 * @typedef {import('grounding-gate/agent').JsonText} JsonText
 */

/** The name under which sources.yaml lists the selection. */
const SNAPSHOT = 'fairsharing:2026-09-04';

/** A live registry that needs longer counts as down. */
const TIMEOUT_MS = 10_000;

/** A record of the registry has a few kilobytes. */
const MAX_RECORD_BYTES = 1_000_000;

const SELECTION = readJsonLines(
  readFileSync(new URL('../../sources/fairsharing/snapshot.jsonl', import.meta.url), 'utf8'),
);
const BY_ID = new Map(SELECTION.map((record) => [entryOf(record).fairsharing_id, record]));

/** The entries to search. @type {readonly Entry[]} */
export const ENTRIES = SELECTION.map(entryOf);

/**
 * How the record of an entry is cited and read. A live record names no snapshot: no pinned copy can bear it out.
 *
 * @param {Entry} entry
 * @param {string | undefined} liveUrl
 * @returns {{ source: import('grounding-gate/agent').RetrievalOptions, read: () => unknown }}
 */
export function recordOf(entry, liveUrl) {
  const source = {
    source_id: entry.fairsharing_id,
    source_uri: entry.source_uri,
    canonicalisation: 'json-sorted-utf8-v1',
  };
  if (liveUrl === undefined) return { source: { ...source, snapshot_ref: SNAPSHOT }, read: () => pinned(entry) };
  return { source, read: () => live(entry, liveUrl) };
}

/** @param {Entry} entry @returns {JsonText} */
function pinned(entry) {
  const record = BY_ID.get(entry.fairsharing_id);
  if (record === undefined) throw new Error(`the selection lost ${entry.fairsharing_id}`);
  return record;
}

/**
 * Reads one record from the registry's public route and puts it into the shape of the selection.
 *
 * @param {Entry} entry
 * @param {string} base
 */
async function live(entry, base) {
  const address = `${base.replace(/\/+$/, '')}/fairsharing_records/${encodeURIComponent(entry.numeric_id)}`;
  const response = await fetch(address, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`the registry answered with status ${response.status}`);
  const body = /** @type {any} */ (readJson(await bounded(response)).value);
  const record = flatten(body?.data?.attributes);
  if (record.fairsharing_id !== entry.fairsharing_id) throw new Error('the registry answered with another record');
  return record;
}

/** The body as text; throws when it is longer than a record can be. @param {Response} response */
async function bounded(response) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_RECORD_BYTES) throw new Error(`the registry answered with more than ${MAX_RECORD_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The members that `json-sorted-utf8-v1` hashes. @param {any} attributes */
function flatten(attributes) {
  const metadata = attributes?.metadata ?? {};
  const doi = String(metadata.doi ?? attributes?.doi ?? '');
  return {
    fairsharing_id: doi.slice(doi.lastIndexOf('/') + 1),
    doi,
    name: metadata.name ?? null,
    abbreviation: metadata.abbreviation ?? null,
    record_type: attributes?.record_type ?? null,
    status: String(metadata.status ?? ''),
    description: metadata.description ?? null,
    subjects: attributes?.subjects ?? [],
    domains: attributes?.domains ?? [],
  };
}

/** @param {JsonText} record @returns {Entry} */
function entryOf(record) {
  return /** @type {Entry} */ (record.value);
}
