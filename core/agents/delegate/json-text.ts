import { parseJson, parseJsonLines } from '../../json/index.js';

// A registered symbol, since an agent may import another copy of this library than the one that runs it.
const JSON_TEXT = Symbol.for('grounding-gate.json-text');

/** A document with the very text that it was read from, so that a hash sees its numbers as they were written. */
export interface JsonText {
  readonly [JSON_TEXT]: string;
  /** The same document as plain data, for the agent to work with. */
  readonly value: unknown;
}

/** Reads one JSON document strictly (contract 1); throws a `json-*` GateError. */
export function readJson(text: string): JsonText {
  return jsonText(parseJson(Buffer.from(text), { file: '<record>' }).text());
}

/** Reads JSON Lines strictly, one document a line, blank lines skipped; throws a `json-*` GateError. */
export function readJsonLines(text: string): JsonText[] {
  return [...parseJsonLines(Buffer.from(text), { file: '<records>' })].map((node) => jsonText(node.text()));
}

/** Reads a JSON array strictly and gives each element with its own text; throws a `json-*` GateError, a TypeError when it is no array. */
export function readJsonArray(text: string): JsonText[] {
  const array = parseJson(Buffer.from(text), { file: '<records>' });
  if (array.kind !== 'array') throw new TypeError('the document is not a JSON array');
  return array.items().map((node) => jsonText(node.text()));
}

/** The source text of a value made by `readJson` and its kin; undefined for any other value. */
export function sourceText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !(JSON_TEXT in value)) return undefined;
  const text = value[JSON_TEXT];
  return typeof text === 'string' ? text : undefined;
}

function jsonText(text: string): JsonText {
  return Object.freeze({ [JSON_TEXT]: text, value: JSON.parse(text) as unknown });
}
