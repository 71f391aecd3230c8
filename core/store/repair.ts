import { posix } from 'node:path';
import { composeJson, type JsonNode, parseJson } from '../json/index.js';
import { GateError } from '../model/errors.js';
import { clearDead, type LockWorld } from './lock.js';
import { INDEX_FILE, isInvocationId, isLockName, RUN_FILES, stagingOwner } from './names.js';
import { indexedId, indexLines, isIndexThere, type MendedEnding, mendEnding } from './run-index.js';
import type { FolderEntry } from './world.js';

/** A larger envelope is not read for repair; its run is reported as incomplete. */
const MAX_ENVELOPE_BYTES = 1 << 28;

/** What the repair before every writing command did and found (contract 7). */
export interface RepairReport {
  readonly ending: MendedEnding;
  /** Ids of whole folders that got their index line, in the order in which they got it. */
  readonly linesAdded: readonly string[];
  /** Index lines that cannot be read; they are kept, since nothing proves them worthless. */
  readonly unreadableLines: readonly number[];
  /** Index lines without a folder; a line is never removed, and its id never given out again. */
  readonly withoutFolder: readonly string[];
  /** Entries named like a run that are not whole, with the reason; they are left as they are. */
  readonly incomplete: readonly { readonly run: string; readonly reason: string }[];
  /** Temporary folders and locks of dead processes that were removed. */
  readonly cleared: readonly string[];
}

/** A whole run that has no index line. */
interface UnlistedRun {
  readonly id: string;
  readonly parent: string | undefined;
}

/** Repairs a runs folder; the caller holds the index lock, so that no run is half-way between its rename and its line. */
export async function repairStore(world: LockWorld, heldLock: string): Promise<RepairReport> {
  const { files, folder } = world;
  const index = posix.join(folder, INDEX_FILE);
  const entries = await files.list(folder);
  const cleared = await clearLeftovers(world, { entries, heldLock });

  const ending: MendedEnding = (await isIndexThere(files, index)) ? await mendEnding(files, index) : { kind: 'sound' };
  const { ids, unreadableLines } = await readIndex(world, index);
  const { unlisted, incomplete } = await findUnlisted(world, { entries, ids });
  const linesAdded = childrenFirst(unlisted);
  for (const id of linesAdded) await appendEnvelope(world, { id, index });
  if (linesAdded.length > 0) await files.syncFolder(folder);

  const present = new Set(entries.map((entry) => entry.name));
  const withoutFolder = [...ids].filter((id) => !present.has(id));
  return { ending, linesAdded, unreadableLines, withoutFolder, incomplete, cleared };
}

/** The line of an envelope: its compact JSON, every number as it was written, and a line feed. */
export function indexLineOf(envelope: JsonNode): Uint8Array {
  return Buffer.concat([composeJson(envelope, { indent: 0 }), Buffer.from('\n')]);
}

async function clearLeftovers(
  world: LockWorld,
  { entries, heldLock }: { readonly entries: readonly FolderEntry[]; readonly heldLock: string },
): Promise<readonly string[]> {
  const cleared: string[] = [];
  for (const { name } of entries) {
    const path = posix.join(world.folder, name);
    if (isLockName(name) && name !== heldLock) {
      if ((await clearDead(world, path)) === null) cleared.push(name);
      continue;
    }
    const owner = stagingOwner(name);
    if (owner === undefined || (await world.ownerState(owner)) !== 'dead') continue;
    await world.files.removeTree(path);
    cleared.push(name);
  }
  return cleared;
}

async function readIndex(
  { files }: LockWorld,
  index: string,
): Promise<{ readonly ids: ReadonlySet<string>; readonly unreadableLines: readonly number[] }> {
  const ids = new Set<string>();
  const unreadableLines: number[] = [];
  for await (const line of indexLines(files, index)) {
    const id = indexedId(line);
    if (id === null) unreadableLines.push(line.line);
    else ids.add(id);
  }
  return { ids, unreadableLines };
}

async function findUnlisted(
  world: LockWorld,
  { entries, ids }: { readonly entries: readonly FolderEntry[]; readonly ids: ReadonlySet<string> },
): Promise<{ readonly unlisted: readonly UnlistedRun[]; readonly incomplete: RepairReport['incomplete'] }> {
  const unlisted: UnlistedRun[] = [];
  const incomplete: { run: string; reason: string }[] = [];
  for (const { name, kind } of entries) {
    if (!isInvocationId(name)) continue;
    if (kind !== 'folder') {
      incomplete.push({ run: name, reason: 'not a folder' });
      continue;
    }
    if (ids.has(name)) continue;
    const envelope = await wholeEnvelope(world, name);
    if (typeof envelope === 'string') incomplete.push({ run: name, reason: envelope });
    else unlisted.push({ id: name, parent: envelope.present('parent_invocation_id')?.string() });
  }
  return { unlisted, incomplete };
}

/**
 * The envelope of a run that can be judged, or what it lacks. A folder that the store renamed into place is always whole;
 * an older archive may lack the request and the texts (contract 10), so these are not asked for.
 */
async function wholeEnvelope({ files, folder }: LockWorld, id: string): Promise<JsonNode | string> {
  const path = posix.join(folder, id, RUN_FILES.envelope);
  const result = await files.read(path, MAX_ENVELOPE_BYTES);
  if (result.kind !== 'bytes') return `${RUN_FILES.envelope} is ${result.kind === 'absent' ? 'absent' : result.why}`;
  if ((await files.kind(posix.join(folder, id, RUN_FILES.spans))) !== 'file') return `${RUN_FILES.spans} is absent`;
  try {
    const envelope = parseJson(result.bytes, { file: path });
    return envelope.get('invocation_id')?.string() === id ? envelope : 'its envelope names another run';
  } catch (error) {
    if (error instanceof GateError) return error.describe();
    throw error;
  }
}

/** Orders runs so that each stands before its parent (contract 7) and is otherwise in the order of its id. */
function childrenFirst(runs: readonly UnlistedRun[]): readonly string[] {
  const parents = new Map(runs.map((run) => [run.id, run.parent]));
  const depth = (id: string): number => {
    const seen = new Set<string>();
    for (let at: string | undefined = id; at !== undefined && parents.has(at) && !seen.has(at); at = parents.get(at))
      seen.add(at);
    return seen.size;
  };
  return runs
    .map(({ id }) => ({ id, depth: depth(id) }))
    .sort((a, b) => b.depth - a.depth || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
}

async function appendEnvelope(
  world: LockWorld,
  { id, index }: { readonly id: string; readonly index: string },
): Promise<void> {
  const envelope = await wholeEnvelope(world, id);
  if (typeof envelope === 'string') throw new Error(`run ${id} changed while it was listed: ${envelope}`);
  await world.files.append(index, indexLineOf(envelope));
}
