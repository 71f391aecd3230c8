import { gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import { copyLabel, parseSourcesConfiguration, type SourceEntry } from './configuration.js';
import { type CopyIndex, type CopySource, indexCopy } from './index-copy.js';
import { PinnedCopy, type SourceCopy } from './pinned-copy.js';
import type { LoadedFiles } from './ports.js';

/** Every pinned copy that a run may be checked against, by the exact snapshot_ref that it serves. */
export interface SourceCopies {
  copyFor(snapshotRef: string): SourceCopy | undefined;
  /** What the user should know although it is no error: the default sources file is missing. */
  readonly notices: readonly string[];
  /** Gives the files back; no copy may be asked afterwards. */
  close(): void;
}

/** Which sources file to read; a `named` one must exist, a default one may be missing (contract 6). */
export interface SourcesLocation {
  readonly sourcesPath: string;
  readonly named: boolean;
  /**
   * Where relative paths really start when that is not the process's folder; messages and verdicts keep the names as they are
   * written. For a door that judges by another commit's configuration.
   */
  readonly folder?: string;
}

/** Copies for a run that has none: everything is unresolved. */
export const NO_COPIES: SourceCopies = { copyFor: () => undefined, notices: [], close: () => undefined };

/**
 * Reads sources.yaml and opens, hashes and indexes each of its copies once. Throws a configuration error for anything
 * that contract 6 refuses; whatever was opened by then is closed again.
 */
export function loadSources(files: LoadedFiles, location: SourcesLocation): SourceCopies {
  const { sourcesPath, named } = location;
  const bytes = files.readConfiguration(sourcesPath);
  if (bytes === null && named) throw missingConfiguration(sourcesPath);
  if (bytes === null) {
    return {
      ...NO_COPIES,
      notices: [`no ${sourcesPath}: no pinned copies, so that every cited source stays unresolved`],
    };
  }
  const { entries } = parseSourcesConfiguration(bytes, { file: sourcesPath });
  const loader = new Loader(files, sourcesPath);
  try {
    return loader.load(entries);
  } catch (error) {
    loader.close();
    throw error;
  }
}

/**
 * Everything that `loadSources` would refuse, each pinned copy for itself; `pinned` counts the copies that hold. A missing
 * sources file is no fault here: it pins nothing.
 */
export function pinFaults(
  files: LoadedFiles,
  sourcesPath: string,
): { readonly pinned: number; readonly faults: readonly GateError[] } {
  const bytes = files.readConfiguration(sourcesPath);
  if (bytes === null) return { pinned: 0, faults: [] };
  const { entries } = parseSourcesConfiguration(bytes, { file: sourcesPath });
  const faults = entries.flatMap((entry): GateError[] => {
    const loader = new Loader(files, sourcesPath);
    try {
      loader.load([entry]);
      return [];
    } catch (error) {
      if (error instanceof GateError) return [error];
      throw error;
    } finally {
      loader.close();
    }
  });
  return { pinned: entries.length - faults.length, faults };
}

/** A fault that names the copy alone, with the place at which sources.yaml names the copy. */
function placed(error: GateError, { pathPlace: place }: SourceEntry): GateError {
  if (error.place?.line !== undefined) return error;
  const { code, blame, message, remedy } = error;
  const said = error.place === undefined ? message : `${error.place.file}: ${message}`;
  return new GateError(code, {
    blame,
    message: said,
    ...(remedy === undefined ? {} : { remedy }),
    place,
    cause: error,
  });
}

/** An opened copy with what the pass over it found. */
interface LoadedCopy {
  readonly pinned: PinnedCopy;
  readonly index: CopyIndex;
}

class Loader {
  readonly #files: LoadedFiles;
  readonly #sourcesPath: string;
  readonly #secret: string;
  /** By real path and id field: one file under two names is one copy. */
  readonly #loaded = new Map<string, LoadedCopy>();

  constructor(files: LoadedFiles, sourcesPath: string) {
    this.#files = files;
    this.#sourcesPath = sourcesPath;
    this.#secret = files.secret();
  }

  load(entries: readonly SourceEntry[]): SourceCopies {
    const copies = new Map<string, SourceCopy>();
    for (const entry of entries) {
      const copy = this.#placedCopy(entry);
      for (const ref of entry.snapshotRefs) copies.set(ref, copy);
    }
    return { copyFor: (ref) => copies.get(ref), notices: [], close: () => this.close() };
  }

  close(): void {
    for (const { pinned } of this.#loaded.values()) pinned.close();
    this.#loaded.clear();
  }

  #placedCopy(entry: SourceEntry): SourceCopy {
    try {
      return this.#pinnedCopy(entry);
    } catch (error) {
      throw error instanceof GateError ? placed(error, entry) : error;
    }
  }

  #pinnedCopy(entry: SourceEntry): SourceCopy {
    const realPath = this.#files.locate({ sourcesPath: this.#sourcesPath, path: entry.path });
    const { pinned, index } = this.#open(realPath, entry);
    // An LFS pointer never matches its pin either, and says better what to do.
    if (index.fault?.code === 'source-lfs-pointer') throw index.fault;
    if (index.sha256 !== entry.sha256) throw pinMismatch({ entry, label: pinned.label, actual: index.sha256 });
    if (index.fault !== null) throw index.fault;
    return pinned;
  }

  #open(realPath: string, entry: SourceEntry): LoadedCopy {
    const key = JSON.stringify([realPath, entry.idField]);
    const known = this.#loaded.get(key);
    if (known !== undefined) return known;
    const source: CopySource = {
      copy: this.#files.open(realPath),
      label: copyLabel(this.#sourcesPath, entry.path),
      idField: entry.idField,
      secret: this.#secret,
    };
    const loaded = openIndexed(source);
    this.#loaded.set(key, loaded);
    return loaded;
  }
}

function openIndexed(source: CopySource): LoadedCopy {
  try {
    const index = indexCopy(source);
    return { pinned: new PinnedCopy(source, index), index };
  } catch (error) {
    source.copy.close();
    throw error;
  }
}

function missingConfiguration(sourcesPath: string): GateError {
  return gateError('config-missing', {
    blame: 'configuration',
    message: 'the sources file does not exist',
    remedy: 'name an existing one, or let `grounding pin` write it',
    place: { file: sourcesPath },
  });
}

function pinMismatch(init: {
  readonly entry: SourceEntry;
  readonly label: string;
  readonly actual: string;
}): GateError {
  return gateError('source-pin-mismatch', {
    blame: 'configuration',
    message: `${init.label} has the SHA-256 ${init.actual}, the pin says ${init.entry.sha256}`,
    remedy: 'restore the pinned file, or pin the new one with `grounding pin` once it was reviewed',
    place: init.entry.place,
  });
}
