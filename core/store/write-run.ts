import { posix } from 'node:path';
import type { FinishedRun } from '../conductor/ports.js';
import { type JsonNode, parseJson } from '../json/index.js';
import { underIndexLock } from './index-lock.js';
import { INDEX_FILE, stagingName } from './names.js';
import { indexLineOf } from './repair.js';
import { stored } from './reservation.js';
import { isIndexThere, mendEnding } from './run-index.js';
import { keepSchemas } from './schemas.js';
import { nothing, type Session, type StagedRun } from './session.js';
import { treeOf, writeTree } from './staging.js';

/** Stores a run that this session has reserved: staged and synced beside, then made to appear under the index lock. */
export async function writeRun(session: Session, run: FinishedRun): Promise<void> {
  const { files, folder } = session;
  const envelope = ownEnvelope(run);
  const staged = posix.join(folder, stagingName(session.owner, session.nextSerial()));
  try {
    const tree = treeOf({ run, envelope, path: staged });
    await (session.writeTree?.(tree) ?? writeTree(files, tree));
    await new Promise<void>((resolve, reject) => {
      session.waiting.push({ run, envelope, staged, resolve, reject });
      // Whoever comes while the first one waits for the lock is taken along: all pay for one lock, one sync and one line's append.
      if (session.waiting.length === 1) void publishWaiting(session);
    });
  } catch (error) {
    // When the disk fails here too, the next repair removes it.
    await files.removeTree(staged).catch(nothing);
    throw error;
  }
}

/** Publishes all that waits once the lock is had; never rejects, since each run's own writer is told. */
async function publishWaiting(session: Session): Promise<void> {
  try {
    const settle = await underIndexLock(session, async () => {
      const runs = session.waiting.splice(0);
      const failed = await publishTogether(session, runs);
      return () => {
        for (const one of runs) if (failed.has(one)) one.reject(failed.get(one));
        for (const one of runs) if (!failed.has(one)) one.resolve();
      };
    });
    settle();
  } catch (error) {
    for (const one of session.waiting.splice(0)) one.reject(error);
  }
}

/** Makes the runs appear, in the order in which they came; gives those that could not, with the reason. */
async function publishTogether(session: Session, runs: readonly StagedRun[]): Promise<ReadonlyMap<StagedRun, unknown>> {
  try {
    await publish(session, runs);
    return new Map();
  } catch (error) {
    const [only] = runs;
    if (runs.length === 1 && only !== undefined) return new Map([[only, error]]);
  }
  // One of them spoilt it: each for itself, so that none fails for another's reason.
  const failed = new Map<StagedRun, unknown>();
  for (const one of runs) await publish(session, [one]).catch((error) => failed.set(one, error));
  return failed;
}

/** Makes staged runs appear and lists them; when that cannot be, takes all of them back. */
async function publish(session: Session, runs: readonly StagedRun[]): Promise<void> {
  const { files, folder } = session;
  const index = posix.join(folder, INDEX_FILE);
  const appeared: { readonly path: string; readonly staged: string }[] = [];
  for (const { run } of runs) {
    await keepSchemas(session, run.schemas);
    const path = posix.join(folder, run.invocationId);
    if ((await files.kind(path)) !== undefined) throw stored(run.invocationId, path);
  }
  await readyIndex(session, index);
  const { size } = await files.ending(index);
  try {
    for (const { run, staged } of runs) {
      const path = posix.join(folder, run.invocationId);
      await files.rename(staged, path);
      appeared.push({ path, staged });
    }
    await files.syncFolder(folder);
    await files.append(index, Buffer.concat(runs.map(({ envelope }) => indexLineOf(envelope))));
  } catch (error) {
    for (const { path, staged } of appeared.reverse())
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
