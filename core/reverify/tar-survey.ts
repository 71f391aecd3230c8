import { hashOf, parseJson } from '../json/index.js';
import { readEnvelope } from '../lint/index.js';
import { gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import {
  INDEX_FILE,
  type IndexLine,
  indexLines,
  isInvocationId,
  isPassedOver,
  RUN_FILES,
  type RunFile,
} from '../store/index.js';
import type { BadLine } from './index-table.js';
import type { StoredChild } from './settle.js';
import type { TarEntries, TarEntry } from './tar-ports.js';

/** Largest file of a run that is taken out of a tar stream, in bytes. */
export const MAX_TAR_FILE_BYTES = 64 * 1024 * 1024;

/** What the headers say of one run. */
export interface SurveyedRun {
  /** How many of the files that are judged the stream holds. */
  files: number;
  /** Why the run cannot be read; null when it can. */
  fault: string | null;
  /** The hash of its envelope, for the runs that delegated to it. */
  envelope: StoredChild;
}

/** The index of an archive in a tar stream: what each id's lines say, since they cannot be read again one by one. */
export class TarIndex {
  readonly #lines = new Map<string, { count: number; readonly hash: string }>();
  readonly bad: { count: number; readonly first: BadLine[] } = { count: 0, first: [] };

  #count = 0;
  #bytes = 0;

  /** How much of an index there was. */
  get size(): { readonly lines: number; readonly bytes: number } {
    return { lines: this.#count, bytes: this.#bytes };
  }

  lines(id: string): number {
    return this.#lines.get(id)?.count ?? 0;
  }

  hash(id: string): string | undefined {
    return this.#lines.get(id)?.hash;
  }

  ids(): IterableIterator<string> {
    return this.#lines.keys();
  }

  add({ line, offset, bytes }: IndexLine): void {
    this.#count++;
    this.#bytes = offset + (bytes?.byteLength ?? 0);
    try {
      if (bytes === null) return this.#refuse(line, 'the line is too long to be read');
      const document = parseJson(bytes, { file: INDEX_FILE, firstLine: line });
      const id = document.get('invocation_id')?.string();
      if (id === undefined) return this.#refuse(line, 'the line is no envelope with an invocation_id');
      const known = this.#lines.get(id);
      if (known === undefined) this.#lines.set(id, { count: 1, hash: hashOf(document, 'dd-envelope-json-v1') });
      else known.count++;
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      this.#refuse(line, error.message);
    }
  }

  #refuse(line: number, reason: string): void {
    this.bad.count++;
    if (this.bad.first.length < 20) this.bad.first.push({ line, reason });
  }
}

/** What a first pass over a tar stream found; `root` is the folder of the runs in it, with a '/' at its end. */
export interface TarSurvey {
  readonly root: string;
  readonly runs: ReadonlyMap<string, SurveyedRun>;
  readonly index: TarIndex | null;
}

/** A file of a run, as its path in the stream says. */
export interface TarPlace {
  readonly root: string;
  readonly run: string;
  /** Undefined for the run's folder, and for files that are not judged. */
  readonly file: RunFile | undefined;
}

/**
 * Walks a tar stream once: which runs it holds, its index, the hash of every envelope. Entries that lead anywhere else, a
 * second index, and two folders of runs are refused; a doubled or strange file makes its own run unreadable.
 */
export async function surveyTar(entries: TarEntries, wantedRoot: string | null): Promise<TarSurvey> {
  const survey = new Survey(wantedRoot === null ? null : withSlash(wantedRoot));
  for await (const entry of entries()) await survey.take(entry);
  return survey.result();
}

/** The segments of an entry's path; throws `tar-refused` for one that would lead out of the folder it is unpacked in. */
export function segmentsOf(path: string): readonly string[] {
  const segments = path
    .replace(/^(\.\/)+/, '')
    .replace(/\/$/, '')
    .split('/');
  if (
    path.startsWith('/') ||
    /[\\\0]/.test(path) ||
    segments.some((one) => one === '..' || (one === '' && path !== './'))
  )
    throw refusal(`it holds an entry named ${JSON.stringify(path.slice(0, 200))}`);
  return segments.filter((one) => one !== '' && one !== '.');
}

/** Where an entry stands under a root; undefined for what is not below a run of it. */
export function placeUnder(root: string, segments: readonly string[]): TarPlace | undefined {
  const above = root === '' ? [] : root.slice(0, -1).split('/');
  if (!above.every((part, at) => segments[at] === part)) return undefined;
  const [run, name, ...more] = segments.slice(above.length);
  if (run === undefined || (name === undefined && !isInvocationId(run))) return undefined;
  const file = more.length === 0 && name !== undefined ? FILES.get(name) : undefined;
  return { root, run, file };
}

const FILES: ReadonlyMap<string, RunFile> = new Map(
  (Object.entries(RUN_FILES) as [RunFile, string][]).map(([file, name]) => [name, file]),
);

class Survey {
  #root: string | null;
  readonly #runs = new Map<string, SurveyedRun>();
  readonly #seen = new Set<string>();
  /** Links and their like that came before the root was known. */
  readonly #strange = new Set<string>();
  #index: TarIndex | null = null;

  constructor(root: string | null) {
    this.#root = root;
  }

  async take(entry: TarEntry): Promise<void> {
    const segments = segmentsOf(entry.path);
    const path = segments.join('/');
    if (this.#root === null) this.#root = rootIn(segments);
    this.#refuseAbove(entry, path);
    if (this.#root === null) {
      if (entry.kind === 'file' && segments.length > 0 && FILES.has(segments.at(-1) ?? ''))
        throw refusal('it begins with a run that is not named by its id; name the folder of its runs');
      return;
    }
    const index = this.#root + INDEX_FILE;
    if (path === index) return this.#takeIndex(entry);
    if (path.startsWith(`${index}/`)) throw refusal('its index is a folder');
    const other = rootIn(segments);
    if (other !== null && other !== this.#root && !`${path}/`.startsWith(this.#root))
      throw refusal(`it holds runs in ${JSON.stringify(this.#root)} and in ${JSON.stringify(other)}; name one of them`);
    const place = placeUnder(this.#root, segments);
    if (place !== undefined) await this.#takeRun(entry, { place, path });
  }

  result(): TarSurvey {
    // A folder that is not named by an id is a run only when it holds an envelope.
    const runs = new Map([...this.#runs].filter(([name, run]) => isInvocationId(name) || run.envelope !== null));
    return { root: this.#root ?? '', runs, index: this.#index };
  }

  /** What is no folder and stands above the runs would, unpacked, lead somewhere else. */
  #refuseAbove({ kind }: TarEntry, path: string): void {
    if (this.#root === null) {
      if (kind === 'other') this.#strange.add(path);
      return;
    }
    if (kind !== 'folder') this.#strange.add(path);
    for (const one of this.#strange)
      if (this.#root.startsWith(`${one}/`)) throw refusal(`${JSON.stringify(one.slice(0, 200))} in it is no folder`);
    this.#strange.clear();
  }

  async #takeIndex(entry: TarEntry): Promise<void> {
    if (entry.kind !== 'file' || this.#index !== null) throw refusal('its index is no file, or stands there twice');
    const index = new TarIndex();
    const files = { kind: async () => 'file' as const, pieces: () => entry.pieces() };
    for await (const line of indexLines(files, INDEX_FILE)) index.add(line);
    this.#index = index;
  }

  async #takeRun(entry: TarEntry, at: { readonly place: TarPlace; readonly path: string }): Promise<void> {
    const { run: name, file } = at.place;
    if (isPassedOver(name)) return;
    const run = this.#runs.get(name) ?? { files: 0, fault: null, envelope: null };
    this.#runs.set(name, run);
    if (file === undefined) {
      const [below = ''] = at.path.slice(at.place.root.length + name.length + 1).split('/');
      if (below === '' && entry.kind !== 'folder') run.fault = `${name} is no folder`;
      if (FILES.has(below)) run.fault ??= `${name}/${below} is no regular file`;
      return;
    }
    const fault = this.#faultOf(entry, at.path);
    this.#seen.add(at.path);
    if (fault === null) run.files++;
    else run.fault ??= `${name}/${RUN_FILES[file]} ${fault}`;
    if (file === 'envelope') run.envelope = fault === null ? await envelopeHash(entry, name) : 'unreadable';
  }

  #faultOf(entry: TarEntry, path: string): string | null {
    if (entry.kind !== 'file') return 'is no regular file';
    if (entry.size > MAX_TAR_FILE_BYTES) return `is larger than ${MAX_TAR_FILE_BYTES} bytes`;
    return this.#seen.has(path) ? 'stands there twice' : null;
  }
}

/** The folder of the runs that an entry shows: above a folder that is named by an id, or around an index. */
function rootIn(segments: readonly string[]): string | null {
  const at = segments.findIndex(isInvocationId);
  if (at !== -1) return withSlash(segments.slice(0, at).join('/'));
  return segments.at(-1) === INDEX_FILE ? withSlash(segments.slice(0, -1).join('/')) : null;
}

function withSlash(folder: string): string {
  const bare = folder === '' ? '' : segmentsOf(folder).join('/');
  return bare === '' ? '' : `${bare}/`;
}

async function envelopeHash(entry: TarEntry, name: string): Promise<StoredChild> {
  try {
    const envelope = readEnvelope(await bytesOf(entry), { file: `${name}/envelope.json` });
    return { hash: hashOf(envelope, 'dd-envelope-json-v1') };
  } catch (error) {
    if (error instanceof GateError && error.code !== 'tar-refused') return 'unreadable';
    throw error;
  }
}

/** The whole of an entry, whose size was looked at before. */
export async function bytesOf(entry: TarEntry): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of entry.pieces()) pieces.push(piece);
  return Buffer.concat(pieces);
}

function refusal(message: string): GateError {
  return gateError('tar-refused', {
    blame: 'unreadable',
    message,
    remedy: 'make it anew, as with `tar --sort=name -czf runs.tar.gz runs`',
  });
}
