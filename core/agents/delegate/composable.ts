import { type Composable, JsonNode, parseJson } from '../../json/index.js';
import { gateError } from '../../model/error-codes.js';
import { sourceText } from './json-text.js';

/** Deeper than any document that the reader takes (contract 1), so that the recursion below always ends in time. */
const MAX_DEPTH = 1_000;

/**
 * A value of the agent's as JSON can hold it. Throws a GateError `agent-misuse` that points at a function, a Date, a
 * bigint, NaN, half a surrogate pair, an undefined element or a cycle, where JSON.stringify would quietly write something else.
 */
export function composableOf(value: unknown): Composable {
  return convert(value, []);
}

function convert(value: unknown, path: readonly string[]): Composable {
  if (value === null || typeof value === 'boolean' || value instanceof JsonNode) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string' && value.isWellFormed()) return value;
  if (path.length > MAX_DEPTH) throw unfit('a cycle, or nesting beyond 1,000 levels', path.slice(0, 8));
  const text = sourceText(value);
  if (text !== undefined) return parseJson(Buffer.from(text), { file: '<record>' });
  if (Array.isArray(value)) return Array.from(value, (item, i) => convert(item, [...path, String(i)]));
  if (value instanceof Map) return new Map([...value].map(([key, item]) => member(String(key), item, path)));
  if (!isPlainObject(value)) throw unfit(kindOf(value), path);
  return new Map(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => member(key, item, path)),
  );
}

function member(key: string, item: unknown, path: readonly string[]): [string, Composable] {
  if (!key.isWellFormed()) throw unfit('a key with half of a surrogate pair', path);
  return [key, convert(item, [...path, key])];
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm has another Object.prototype, whose own prototype is null all the same.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function kindOf(value: unknown): string {
  if (typeof value === 'object') return 'an instance of a class';
  if (typeof value === 'string') return 'a string with half of a surrogate pair';
  return typeof value === 'number' ? String(value) : typeof value;
}

function unfit(what: string, path: readonly string[]): Error {
  return gateError('agent-misuse', {
    blame: 'agent',
    message: `${what} at /${path.join('/')} cannot be written as JSON`,
    remedy: 'return plain objects, lists, strings, finite numbers, booleans and null',
  });
}
