import { join } from 'node:path';
import type { Download } from '../html/run-facts.js';
import { sha256Hex } from '../json/index.js';
import { GateError } from '../model/errors.js';
import {
  type ArchiveFiles,
  CRATE_FILE,
  CRATE_FOLDER,
  RUN_FILES,
  type RunArchive,
  type RunContents,
  type RunFile,
  runContents,
} from '../store/index.js';

/** A file of a run with its bytes, by the name that it has in the run's folder. */
export interface NamedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Largest file of a crate that is taken into a report. */
const MAX_CRATE_BYTES = 64 * 1024 * 1024;
const FILES = Object.entries(RUN_FILES) as readonly [RunFile, string][];

/** The files of a run as far as each can be read: what stands in the place of one does not keep the others back. */
export async function readableContents(run: string, archive: RunArchive): Promise<RunContents> {
  return runContents(async (file) => {
    try {
      return await archive.readFile(run, file);
    } catch (error) {
      if (error instanceof GateError) return undefined;
      throw error;
    }
  });
}

/** A run's files by name. */
export function namedFiles(contents: RunContents): readonly NamedFile[] {
  return FILES.flatMap(([file, name]) => {
    const bytes = contents[file];
    return bytes === undefined ? [] : [{ name, bytes }];
  });
}

/**
 * What a run's crate holds besides the run's own files: its metadata, and copies that are no longer the same. `folder` is
 * that of a run which the archive lists.
 */
export async function crateFiles(
  folder: string,
  { files, contents }: { readonly files: Pick<ArchiveFiles, 'read' | 'kind'>; readonly contents: RunContents },
): Promise<readonly NamedFile[]> {
  const crate = join(folder, CRATE_FOLDER);
  if ((await files.kind(crate)) !== 'folder') return [];
  const found: NamedFile[] = [];
  for (const [file, name] of [...FILES, [null, CRATE_FILE] as const]) {
    const read = await files.read(join(crate, name), MAX_CRATE_BYTES);
    if (read.kind !== 'bytes') continue;
    const own = file === null ? undefined : contents[file];
    if (own === undefined || Buffer.compare(own, read.bytes) !== 0)
      found.push({ name: `${CRATE_FOLDER}/${name}`, bytes: read.bytes });
  }
  return found;
}

/** What the report's page says of a file, and where it leads. */
export function downloadOf({ name, bytes }: NamedFile, base: string): Download {
  return { name, href: `${base}/${name}`, size: bytes.byteLength, sha256: sha256Hex(bytes) };
}

/** A folder name as a segment of an address. */
export function segmentOf(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
