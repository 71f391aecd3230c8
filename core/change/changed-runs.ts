import { parseJson } from '../json/index.js';
import { GateError } from '../model/errors.js';
import { UUID_V7 } from '../model/patterns.js';
import { INDEX_FILE, SCHEMAS_FOLDER } from '../store/index.js';

/** Which stored runs a change touches, from the paths that it changes and the index before and after it. */
export interface ChangedRuns {
  readonly touched: ReadonlySet<string>;
  /** Touched, and neither a file of theirs nor an index line is left. */
  readonly removed: readonly string[];
}

/** What a change did to a runs folder. */
export interface RunsChange {
  /** The runs folder, from the repository's root. */
  readonly folder: string;
  /** From the root as well. */
  readonly changedPaths: readonly string[];
  readonly indexBefore: Uint8Array | null;
  readonly indexAfter: Uint8Array | null;
  /** Whether a run has a folder now. */
  readonly isThere: (run: string) => boolean;
}

/** A run is touched when a file of its folder is, or its line of the index: either can make it another run. */
export function changedRuns(change: RunsChange): ChangedRuns {
  const { folder, changedPaths, indexBefore, indexAfter, isThere } = change;
  const prefix = folder === '' ? '' : `${folder}/`;
  const inFolders = changedPaths.flatMap((path) => {
    const [run = '', ...rest] = path.startsWith(prefix) ? path.slice(prefix.length).split('/') : [];
    // A link or a submodule in a run's place is a path of its own.
    return run !== '' && run !== SCHEMAS_FOLDER && (rest.length > 0 || UUID_V7.test(run)) ? [run] : [];
  });
  const before = linesOf(indexBefore);
  const after = linesOf(indexAfter);
  const changedLines = [...before, ...after].filter((line) => !before.has(line) || !after.has(line));
  const touched = new Set([...inFolders, ...changedLines.flatMap((line) => idOf(line) ?? [])]);
  const indexed = new Set([...after].flatMap((line) => idOf(line) ?? []));
  return { touched, removed: [...touched].filter((run) => !isThere(run) && !indexed.has(run)).sort() };
}

function linesOf(index: Uint8Array | null): ReadonlySet<string> {
  return new Set(
    index === null
      ? []
      : Buffer.from(index)
          .toString('utf8')
          .split('\n')
          .filter((line) => line.trim() !== ''),
  );
}

/** The run of an index line; a line that cannot be read is reported by the judge, as the archive's. */
function idOf(line: string): string | null {
  try {
    return parseJson(Buffer.from(line), { file: INDEX_FILE }).get('invocation_id')?.string() ?? null;
  } catch (error) {
    if (error instanceof GateError) return null;
    throw error;
  }
}
