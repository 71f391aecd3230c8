import { UUID_V7 } from '../model/patterns.js';

/** The files of one run folder (contract 7), by what they hold; the crate keeps a copy of each. */
export const RUN_FILES = {
  request: 'request.json',
  envelope: 'envelope.json',
  spans: 'spans.jsonl',
  grounding: 'grounding.txt',
  sources: 'sources.txt',
} as const;
export type RunFile = keyof typeof RUN_FILES;

/** What stands in a runs folder beside the runs (contract 7). */
export const INDEX_FILE = 'invocations.jsonl';
export const SCHEMAS_FOLDER = 'schemas';
export const CRATE_FOLDER = 'crate';
export const CRATE_FILE = 'ro-crate-metadata.json';

/** Prefixes of what the store makes for itself; they begin with a dot so that no reader of runs takes them for one. */
const LOCK_PREFIX = '.lock-';
const STAGING_PREFIX = '.tmp-';

/** The lock for the index and for every rename that makes a run appear. */
export const INDEX_LOCK = `${LOCK_PREFIX}index`;

/** Whether the text may name a run; asked before it becomes part of a path. */
export function isInvocationId(text: string): boolean {
  return UUID_V7.test(text);
}

/** The lock folder that reserves an invocation id. */
export function reservationName(invocationId: string): string {
  return `${LOCK_PREFIX}${invocationId}`;
}

export function isLockName(name: string): boolean {
  return name.startsWith(LOCK_PREFIX);
}

/** A temporary folder's name, which says whose it is. */
export function stagingName(owner: string, serial: number): string {
  return `${STAGING_PREFIX}${owner}-${serial}`;
}

/** The owner in a temporary folder's name; undefined when it is no such name. */
export function stagingOwner(name: string): string | undefined {
  if (!name.startsWith(STAGING_PREFIX)) return undefined;
  return /^(.+)-[0-9]+$/.exec(name.slice(STAGING_PREFIX.length))?.[1];
}

/** Whether an entry of a runs folder stands for no run by its name alone: what is hidden, the index, the schemas. */
export function isPassedOver(name: string): boolean {
  return name.startsWith('.') || name === SCHEMAS_FOLDER || name === INDEX_FILE;
}
