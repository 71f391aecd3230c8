import { hashOf, type JsonNode, project } from '../json/index.js';
import { GateError } from '../model/errors.js';
import { quoted } from '../model/wording.js';

/** How many members a message names. */
const NAMED = 3;
/** Records with more members are not compared: an envelope may cite one a hundred thousand times. */
const MOST_MEMBERS = 1000;

/** Hashes of a record's members, by canonicalisation: a record is hashed once, however often it is cited. */
const known = new WeakMap<JsonNode, Map<string, ReadonlyMap<string, string>>>();

/**
 * Says which members of an item's content are not what the record says, as the end of a sentence; empty when the item
 * shows no content, when every member agrees, or when there are too many to compare.
 */
export function differencesText(
  item: JsonNode,
  given: { readonly record: JsonNode; readonly canonicalisation: string },
): string {
  const content = item.present('content');
  if (content?.kind !== 'object' || content.size > MOST_MEMBERS || given.record.size > MOST_MEMBERS) return '';
  const theirs = hashesOfRecord(given.record, given.canonicalisation);
  const ours = hashesOf(projectedOrWhole(content, given.canonicalisation));
  const differing = [...new Set([...theirs.keys(), ...ours.keys()])].filter((key) => theirs.get(key) !== ours.get(key));
  if (differing.length === 0) return '';
  const names = differing.slice(0, NAMED).map(quoted).join(', ');
  const more = differing.length > NAMED ? ` and ${differing.length - NAMED} more` : '';
  return `; what it says of ${names}${more} is not what the content says`;
}

function hashesOfRecord(record: JsonNode, canonicalisation: string): ReadonlyMap<string, string> {
  const byName = known.get(record) ?? new Map<string, ReadonlyMap<string, string>>();
  const hashes = byName.get(canonicalisation) ?? hashesOf(projectedOrWhole(record, canonicalisation));
  known.set(record, byName.set(canonicalisation, hashes));
  return hashes;
}

/** Content is compared as the hash sees it; E1 tells of content that cannot be projected. */
function projectedOrWhole(document: JsonNode, canonicalisation: string): JsonNode {
  try {
    return project(document, canonicalisation);
  } catch (error) {
    if (error instanceof GateError) return document;
    throw error;
  }
}

function hashesOf(document: JsonNode): ReadonlyMap<string, string> {
  return new Map(document.entries().map(([key, value]) => [key, hashOf(value, 'dd-json-document-v1')]));
}
