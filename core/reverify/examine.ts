import { hashOf } from '../json/index.js';
import { readEnvelope } from '../lint/index.js';
import { GateError } from '../model/errors.js';
import type { SourceCopies } from '../sources/index.js';
import type { RunContents, RunReader } from '../store/index.js';
import type { StoredChild } from './settle.js';
import { judgeSolo, type SoloVerdict, type UnreadableRun, unreadable } from './solo.js';

/** Judges what was read. A copy that is no longer the pinned one stops everything, since no verdict could rest on it. */
export function judgeContents(
  run: { readonly name: string; readonly contents: RunContents },
  copies: SourceCopies,
): SoloVerdict | UnreadableRun {
  try {
    return judgeSolo(run, copies);
  } catch (error) {
    if (error instanceof GateError && error.blame === 'configuration') throw error;
    return unreadable(error);
  }
}

/** The files of a run, or why they cannot be read: whatever stands in their place, the other runs are judged. */
export function readContents(name: string, runs: Pick<RunReader, 'read'>): RunContents | UnreadableRun {
  try {
    return runs.read(name);
  } catch (error) {
    return unreadable(error);
  }
}

/** What the archive holds of the runs that a verdict names as delegated. */
export function storedChildren(
  solo: SoloVerdict | UnreadableRun,
  runs: Pick<RunReader, 'holds' | 'readFile'>,
): ReadonlyMap<string, StoredChild> {
  if (solo.kind === 'unreadable' || solo.children.length === 0) return NO_CHILDREN;
  const children = new Map<string, StoredChild>();
  for (const { childId } of solo.children)
    if (!children.has(childId)) children.set(childId, storedChild(childId, runs));
  return children;
}

const NO_CHILDREN: ReadonlyMap<string, StoredChild> = new Map();

function storedChild(id: string, runs: Pick<RunReader, 'holds' | 'readFile'>): StoredChild {
  try {
    if (!runs.holds(id)) return null;
    const envelope = runs.readFile(id, 'envelope');
    if (envelope === undefined) return 'unreadable';
    return { hash: hashOf(readEnvelope(envelope, { file: `${id}/envelope.json` }), 'dd-envelope-json-v1') };
  } catch (error) {
    if (error instanceof GateError) return 'unreadable';
    throw error;
  }
}
