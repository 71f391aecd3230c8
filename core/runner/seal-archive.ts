import { basename, join, resolve } from 'node:path';
import { archiveFiles } from '../io/archive-files.js';
import { readInputFile } from '../io/input-file.js';
import { digestBelow, digestOfFile, filesBelow, refuseOthers, unsealable } from '../io/sealed-files.js';
import { parseJson } from '../json/index.js';
import type { Tampering } from '../model/stored-run.js';
import type { SealedFile } from '../reverify/merkle.js';
import { composeSeal, readSeal, type Seal } from '../reverify/seal.js';
import { INDEX_FILE, openArchive, SCHEMAS_FOLDER } from '../store/index.js';

/** The manifest of an archive as it stands, in pieces; rejects with GateError `run-file-refused` or `store-*`. */
export async function sealArchive(
  folder: string,
): Promise<{ readonly runs: number; readonly pieces: Iterable<string> }> {
  const archive = openArchive(archiveFiles(), { folder });
  const runs = [];
  for (const { name } of await archive.runs()) {
    // A link in a run's place is refused here, before anything behind it is hashed.
    await archive.read(name);
    runs.push({ run: name, files: refuseOthers(join(folder, name), filesBelow(join(folder, name))) });
  }
  const schemas = join(folder, SCHEMAS_FOLDER);
  const others = [...(await fileIn(folder, INDEX_FILE)), ...(await schemaFiles(schemas))];
  return { runs: runs.length, pieces: composeSeal({ name: basename(resolve(folder)), runs, others }) };
}

/** Reads a seal from its file; throws `seal-malformed`, `json-*` or what reading a file throws. */
export function openSeal(file: string): Seal {
  return readSeal(parseJson(readInputFile(file), { file }));
}

/**
 * What should be in an archive by its seal and can only be told by name: every sealed run, in case that it has no folder,
 * and the index and schemas that are missing or were changed. An index that only grew is as it was.
 */
export function expectedBy(seal: Seal, folder: string): ReadonlyMap<string, readonly Tampering[]> {
  const missing: Tampering = { test: 'seal-missing', message: 'it was sealed and is not there' };
  const expected = new Map<string, readonly Tampering[]>(seal.names.map((name) => [name, [missing]]));
  for (const { path, size, sha256 } of seal.others) {
    const found = digestBelow(folder, { path, limit: path === INDEX_FILE ? size : undefined });
    if (found === undefined) expected.set(path, [missing]);
    else if (found.sha256 !== sha256 || found.size !== size)
      expected.set(path, [{ test: 'seal-changed', message: 'it was changed since it was sealed' }]);
  }
  return expected;
}

async function fileIn(folder: string, path: string): Promise<readonly SealedFile[]> {
  if ((await archiveFiles().kind(join(folder, path))) === undefined) return [];
  const found = digestOfFile(join(folder, path));
  if (found === undefined) throw unsealable(join(folder, path));
  return [{ path, ...found }];
}

async function schemaFiles(folder: string): Promise<readonly SealedFile[]> {
  const kind = await archiveFiles().kind(folder);
  if (kind === undefined) return [];
  if (kind !== 'folder') throw unsealable(folder);
  const files = refuseOthers(folder, filesBelow(folder));
  return files
    .map((file) => ({ ...file, path: `${SCHEMAS_FOLDER}/${file.path}` }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
