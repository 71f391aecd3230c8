import { hashOf } from '../json/index.js';
import { readEnvelope } from '../lint/index.js';
import { GateError } from '../model/errors.js';
import type { SourceCopies } from '../sources/index.js';
import type { RunArchive, RunContents } from '../store/index.js';
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
export async function readContents(
  name: string,
  archive: Pick<RunArchive, 'read'>,
): Promise<RunContents | UnreadableRun> {
  try {
    return await archive.read(name);
  } catch (error) {
    return unreadable(error);
  }
}

/** What the archive holds of the runs that a verdict names as delegated. */
export async function storedChildren(
  solo: SoloVerdict | UnreadableRun,
  archive: Pick<RunArchive, 'find' | 'readFile'>,
): Promise<ReadonlyMap<string, StoredChild>> {
  const children = new Map<string, StoredChild>();
  if (solo.kind === 'unreadable') return children;
  for (const { childId } of solo.children)
    if (!children.has(childId)) children.set(childId, await storedChild(childId, archive));
  return children;
}

async function storedChild(id: string, archive: Pick<RunArchive, 'find' | 'readFile'>): Promise<StoredChild> {
  try {
    if ((await archive.find(id)) === undefined) return null;
    const envelope = await archive.readFile(id, 'envelope');
    if (envelope === undefined) return 'unreadable';
    return { hash: hashOf(readEnvelope(envelope, { file: `${id}/envelope.json` }), 'dd-envelope-json-v1') };
  } catch (error) {
    if (error instanceof GateError) return 'unreadable';
    throw error;
  }
}
