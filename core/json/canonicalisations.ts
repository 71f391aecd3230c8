import { gateError } from '../model/error-codes.js';
import { CLOSE_OBJECT } from './ascii.js';
import { quoted, writeCanonical } from './canonical.js';
import { byCodePoint } from './code-points.js';
import type { Composable } from './compose.js';
import { sha256Hex } from './digest.js';
import { JsonNode, jsonOf } from './document.js';
import { ByteSink } from './sink.js';

/**
 * Chooses what of a document is hashed. It returns the node itself for "all of it", or a new document;
 * it throws a `projection-refused` GateError for a document that it cannot project.
 */
export type Projection = (document: JsonNode) => JsonNode | { readonly [key: string]: Composable };

const whole: Projection = (document) => document;

const FAIRSHARING = 'json-sorted-utf8-v1';

const projections = new Map<string, Projection>([
  ['dd-input-json-v1', whole],
  ['dd-json-document-v1', whole],
  ['dd-envelope-json-v1', whole],
  [FAIRSHARING, fairsharingProjection],
]);

const sink = new ByteSink();

/** Adds a canonicalisation (contract 2). A name is registered once: a hash must not change its meaning. */
export function registerCanonicalisation(name: string, projection: Projection): void {
  if (projections.has(name))
    throw gateError('canonicalisation-taken', {
      blame: 'caller',
      message: `the canonicalisation ${JSON.stringify(name)} is registered already`,
      remedy: 'choose a new name',
    });
  projections.set(name, projection);
}

/** The registered names, built-in ones first. */
export function canonicalisationNames(): readonly string[] {
  return [...projections.keys()];
}

/** Whether a name is registered. */
export function isCanonicalisation(name: string): boolean {
  return projections.has(name);
}

/**
 * SHA-256 of the canonical bytes of a document under a named canonicalisation (contract 2), 64 lower-case hex digits.
 * Throws GateError `canonicalisation-unknown` or `projection-refused`.
 */
export function hashOf(document: JsonNode, canonicalisation: string): string {
  fillSink(document, canonicalisation);
  return sha256Hex(sink.view());
}

/** The canonical bytes themselves, as a copy of their own; throws as `hashOf` does. */
export function canonicalBytes(document: JsonNode, canonicalisation: string): Uint8Array {
  fillSink(document, canonicalisation);
  return Uint8Array.from(sink.view());
}

function fillSink(document: JsonNode, canonicalisation: string): void {
  // Records of this one are hashed by the thousand, so that its bytes are written without making the document first.
  if (canonicalisation === FAIRSHARING) return writeFairsharing(document);
  const projected = project(document, canonicalisation);
  sink.reset();
  writeCanonical(projected.document, projected.index, sink);
}

/** The document that the hash covers; a projection applied twice changes nothing. Throws as `hashOf` does. */
export function project(document: JsonNode, canonicalisation: string): JsonNode {
  const projection = projections.get(canonicalisation);
  if (projection === undefined)
    throw gateError('canonicalisation-unknown', {
      blame: 'caller',
      message: `the canonicalisation ${JSON.stringify(canonicalisation)} is not registered`,
      remedy: `use one of ${canonicalisationNames().join(', ')}`,
    });
  const projected = projection(document);
  return projected instanceof JsonNode ? projected : jsonOf(projected);
}

/** The members that `json-sorted-utf8-v1` keeps, all of them, in every record. */
const FAIRSHARING_MEMBERS = [
  'fairsharing_id',
  'doi',
  'name',
  'abbreviation',
  'record_type',
  'status',
  'description',
  'subjects',
  'domains',
];

function fairsharingProjection(record: JsonNode): { readonly [key: string]: Composable } {
  const values = fairsharingValues(record);
  return Object.fromEntries(FAIRSHARING_MEMBERS.map((key, at) => [key, values[at] ?? null]));
}

/** What `json-sorted-utf8-v1` keeps of a record, in the order of the members. */
function fairsharingValues(record: JsonNode): (JsonNode | readonly string[] | null)[] {
  if (record.kind !== 'object') throw refused('is not an object', record);
  return FAIRSHARING_MEMBERS.map((key) => sortedList(record.get(key), key));
}

/** The members in canonical order, each with its place among them and the bytes in front of its value. */
const FAIRSHARING_ORDER = FAIRSHARING_MEMBERS.map((key, at) => ({ key, at }))
  .sort((a, b) => byCodePoint(a.key, b.key))
  .map(({ key, at }, position) => ({ at, opening: Buffer.from(`${position === 0 ? '{' : ','}"${key}":`) }));
const NULL = Buffer.from('null');

/** Fills the sink with the canonical bytes of a record under `json-sorted-utf8-v1`; throws as its projection does. */
function writeFairsharing(record: JsonNode): void {
  const values = fairsharingValues(record);
  sink.reset();
  for (const { at, opening } of FAIRSHARING_ORDER) {
    sink.copy(opening, { from: 0, to: opening.length });
    const value = values[at] ?? null;
    if (value === null) sink.copy(NULL, { from: 0, to: NULL.length });
    else if (value instanceof JsonNode) writeCanonical(value.document, value.index, sink);
    else sink.text(`[${value.map(quoted).join(',')}]`);
  }
  sink.byte(CLOSE_OBJECT);
}

/** A list in code point order; any other value as it is, a missing one as null. */
function sortedList(value: JsonNode | undefined, key: string): JsonNode | readonly string[] | null {
  if (value === undefined) return null;
  if (value.kind !== 'array') return value;
  const texts = value.items().map((item) => {
    const text = item.string();
    if (text === undefined) throw refused(`has an item in ${JSON.stringify(key)} that is not a string`, item);
    return text;
  });
  return texts.sort(byCodePoint);
}

function refused(why: string, at: JsonNode): Error {
  return gateError('projection-refused', {
    blame: 'unreadable',
    message: `the record ${why}, so that json-sorted-utf8-v1 does not project it`,
    remedy: 'hash it under dd-json-document-v1, or mend the record',
    place: at.place(),
  });
}
