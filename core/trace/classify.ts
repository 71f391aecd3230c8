import { SPAN_NAMES } from './names.js';

/** What a span is to the linter; `other` spans are part of the tree and are not judged (contract 4). */
export type SpanRole = 'root' | 'retrieval' | 'chat' | 'other';

/** A Map, not an object: a span named `constructor` must not meet a prototype. */
const ROLE_BY_NAME: ReadonlyMap<string, SpanRole> = new Map([
  [SPAN_NAMES.root, 'root'],
  [SPAN_NAMES.retrieval, 'retrieval'],
  [SPAN_NAMES.chat, 'chat'],
]);

/** The one place that decides what a span is: by its exact name (contract 4). */
export function classify(name: string): SpanRole {
  return ROLE_BY_NAME.get(name) ?? 'other';
}
