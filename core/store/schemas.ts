import { posix } from 'node:path';
import type { FinishedRun } from '../conductor/ports.js';
import { CONTENT_HASH } from '../model/patterns.js';
import { obstructed } from './failure.js';
import { SCHEMAS_FOLDER, stagingName } from './names.js';
import { nothing, type Session } from './session.js';

/** Keeps each schema once, at `schemas/<digest>.json` (contract 3); a schema is there before the first run that names it. */
export async function keepSchemas(session: Session, schemas: FinishedRun['schemas']): Promise<void> {
  const { files, folder } = session;
  if (schemas.size === 0) return;
  const home = posix.join(folder, SCHEMAS_FOLDER);
  const homeKind = await files.kind(home);
  if (homeKind === undefined) await files.makeFolder(home);
  else if (homeKind !== 'folder') throw obstructed(home, 'the folder of schemas');

  for (const [digest, bytes] of schemas) {
    if (!CONTENT_HASH.test(digest)) throw new Error(`${JSON.stringify(digest)} is no digest of a schema`);
    const path = posix.join(home, `${digest}.json`);
    const kind = await files.kind(path);
    if (kind === 'file') continue;
    if (kind !== undefined) throw obstructed(path, 'a schema, a regular file');
    await placeFile(session, { path, bytes });
    await files.syncFolder(home);
  }
  if (homeKind === undefined) await files.syncFolder(folder);
}

async function placeFile(
  session: Session,
  { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
): Promise<void> {
  const { files, folder } = session;
  const staged = posix.join(folder, stagingName(session.owner, session.nextSerial()));
  try {
    await files.create(staged, bytes);
    await files.rename(staged, path);
  } catch (error) {
    await files.removeFile(staged).catch(nothing);
    throw error;
  }
}
