import { posix } from 'node:path';
import type { FinishedRun } from '../conductor/ports.js';
import { type JsonNode, parseJson } from '../json/index.js';
import { underIndexLock } from './index-lock.js';
import { INDEX_FILE, stagingName } from './names.js';
import { indexLineOf } from './repair.js';
import { stored } from './reservation.js';
import { isIndexThere, mendEnding } from './run-index.js';
import { keepSchemas } from './schemas.js';
import { nothing, type Session } from './session.js';
import { stageRun } from './staging.js';

/** Stores a run that this session has reserved: staged and synced beside, then made to appear under the index lock. */
export async function writeRun(session: Session, run: FinishedRun): Promise<void> {
  const { files, folder } = session;
  const envelope = ownEnvelope(run);
  const staged = posix.join(folder, stagingName(session.owner, session.nextSerial()));
  try {
    await stageRun(files, { run, envelope, path: staged });
    await underIndexLock(session, async () => {
      await keepSchemas(session, run.schemas);
      await publish(session, { run, envelope, staged });
    });
  } finally {
    // Gone when the run was published; when the disk fails here too, the next repair removes it.
    await files.removeTree(staged).catch(nothing);
  }
}

/** Makes the staged run appear and lists it; when that cannot be, takes it back. */
async function publish(
  session: Session,
  { run, envelope, staged }: { readonly run: FinishedRun; readonly envelope: JsonNode; readonly staged: string },
): Promise<void> {
  const { files, folder } = session;
  const path = posix.join(folder, run.invocationId);
  const index = posix.join(folder, INDEX_FILE);
  if ((await files.kind(path)) !== undefined) throw stored(run.invocationId, path);
  await readyIndex(session, index);
  const { size } = await files.ending(index);
  await files.rename(staged, path);
  try {
    await files.syncFolder(folder);
    await files.append(index, indexLineOf(envelope));
  } catch (error) {
    await takeBack(session, { path, staged, index, size }).catch(nothing);
    throw error;
  }
}

/** Makes the index where it is missing; cuts off what a process that died since our repair left of its line. */
async function readyIndex({ files, folder }: Session, index: string): Promise<void> {
  if (await isIndexThere(files, index)) {
    await mendEnding(files, index);
    return;
  }
  await files.append(index, new Uint8Array(0));
  await files.syncFolder(folder);
}

/** Makes a run disappear again, unless something of its line is in the index: then the next repair settles it. */
async function takeBack(
  { files }: Session,
  run: { readonly path: string; readonly staged: string; readonly index: string; readonly size: number },
): Promise<void> {
  if ((await files.ending(run.index)).size === run.size) await files.rename(run.path, run.staged);
}

/** The envelope as its stored bytes say it, so that the index line cannot differ from the file. */
function ownEnvelope(run: FinishedRun): JsonNode {
  const envelope = parseJson(run.envelope, { file: 'envelope.json' });
  if (envelope.get('invocation_id')?.string() === run.invocationId) return envelope;
  throw new Error(`the envelope of run ${run.invocationId} names another run`);
}
