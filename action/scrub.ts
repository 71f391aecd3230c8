import type { Redactor } from './secrets.js';

/** Members whose values are words and digits of ours: no secret is in them, and a secret that reads like one must not change them. */
const OURS: ReadonlySet<string> = new Set([
  'command',
  'conclusion',
  'contentHash',
  'fingerprint',
  'how',
  'kind',
  'level',
  'mend',
  'mode',
  'problem',
  'reasonCode',
  'role',
  'rule',
  'rules',
  'state',
  'status',
  'title',
  'unresolvedPolicy',
]);

/**
 * Plain data with no known secret left in its texts. It is done before anything is rendered: a secret may be somebody's choice (a pull
 * request's title in a variable that an agent is given), and taken out of a finished text it could take a fence or a bracket with it.
 */
export function scrubbed<Data>(data: Data, redactor: Pick<Redactor, 'scrub'>): Data {
  return scrubValue(data, redactor) as Data;
}

/** Recurses as deep as our own reports are. */
function scrubValue(value: unknown, redactor: Pick<Redactor, 'scrub'>): unknown {
  if (typeof value === 'string') return redactor.scrub(value);
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, redactor));
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, scrubValue(item, redactor)]));
  if (!isPlain(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, item]) => [key, OURS.has(key) ? item : scrubValue(item, redactor)]));
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
