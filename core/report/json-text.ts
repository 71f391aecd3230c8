import { type Composable, composeJson, JsonNode, utf8Text } from '../json/index.js';
import { oneLine } from '../model/errors.js';

/**
 * A document as indented JSON that is safe on a terminal and in a log: characters that would steer one stand as `\uXXXX`,
 * which changes neither the document nor its hash. Half a surrogate pair, which no JSON in UTF-8 can hold, is U+FFFD.
 */
export function jsonText(document: Composable): string {
  const text = utf8Text(composeJson(wellFormed(document)));
  return `${PLAIN.test(text) ? text : text.split('\n').map(oneLine).join('\n')}\n`;
}

/** Most documents, and quickly told: escaping takes far longer than looking. */
const PLAIN = /^[\n !"$-~]*$/;

/** Recurses as deep as our own documents are; what was parsed is well formed already. */
function wellFormed(value: Composable): Composable {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null || value instanceof JsonNode) return value;
  if (isList(value)) return value.map(wellFormed);
  const members = value instanceof Map ? [...value] : Object.entries(value);
  return new Map(members.map(([key, member]) => [key, member === undefined ? undefined : wellFormed(member)]));
}

function isList(value: object): value is readonly Composable[] {
  return Array.isArray(value);
}
