import { posix } from 'node:path';
import {
  type CommitFiles,
  changedRuns,
  GateError,
  type HeldFiles,
  INDEX_FILE,
  inLanes,
  makeFinding,
  parseJson,
  RUN_FILES,
  removedRunFindings,
  type TreeChange,
  type TreeEntry,
} from '../../core/index.js';
import type { FoundEvidence } from './evidence.js';

/** Files of runs that are read by the API for one verdict: an installation has 5,000 requests an hour for everything. */
const MOST_FILES = 3_000;
/** Bytes of run files that are held for one verdict. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Requests under way at once; GitHub's secondary limit is 100 for all of an installation's. */
const LANES = 8;

/** The commit whose runs are read, and what the change did to it. */
export interface TreeRuns {
  readonly head: CommitFiles;
  readonly base: CommitFiles;
  /** The folder of the runs from the root. */
  readonly folder: string;
  /** Null where nothing changed, as on the default branch itself: then every run is judged. */
  readonly changes: readonly TreeChange[] | null;
  readonly choice: 'changed' | 'all';
}

/** The run folders of a commit: those that a change touches, or all; what was left out for its number is a finding. */
export async function treeRuns({ head, base, folder, changes, choice }: TreeRuns): Promise<FoundEvidence> {
  const entries = await head.list([folder === '' ? '.' : folder]);
  const stored = runsIn(entries, folder);
  const at = posix.join(folder, INDEX_FILE);
  const indexEntry = entries.find(({ path }) => path === at);
  const indexAfter = indexEntry === undefined ? null : await head.read(indexEntry.sha);
  const change =
    changes === null
      ? { touched: new Set<string>(), removed: [] }
      : changedRuns({
          folder,
          changedPaths: changes.map(({ path }) => path),
          indexBefore: await readAt(base, at),
          indexAfter,
          isThere: (run) => stored.has(run),
        });
  const touched = [...change.touched].filter((run) => !change.removed.includes(run));
  const wanted = choice === 'all' || changes === null ? [...new Set([...stored.keys(), ...touched])] : touched;
  const read = await readRuns({ head, stored, wanted: wanted.sort() });
  const files = new Map<string, Uint8Array | null>(read.files);
  if (indexAfter !== null) files.set(at, indexAfter);
  for (const [path, bytes] of await childrenOf(files, { head, stored, folder })) files.set(path, bytes);
  return {
    kind: 'found',
    archives:
      wanted.length === 0
        ? []
        : [{ files, folder, only: read.judged, isFresh: (run) => change.touched.has(run), claim: null }],
    findings: [
      ...removedRunFindings(change.removed, folder),
      ...rewrittenFindings(changes ?? [], { folder, stored }),
      ...shortfall(read.judged.size, { of: wanted.length, folder }),
    ],
    notices: [],
    between: null,
    workflowRun: null,
  };
}

/** The entries of each run's own files, by the name of its folder. */
function runsIn(entries: readonly TreeEntry[], folder: string): ReadonlyMap<string, readonly TreeEntry[]> {
  const prefix = folder === '' ? '' : `${folder}/`;
  const runs = new Map<string, TreeEntry[]>();
  const names = new Set<string>(Object.values(RUN_FILES));
  for (const entry of entries) {
    const [run = '', file, ...deeper] = entry.path.slice(prefix.length).split('/');
    // A link or a submodule in the place of a run's folder is judged as what it is.
    const stands = file === undefined ? isNoFile(entry) && run !== '' : deeper.length === 0 && names.has(file);
    if (!stands || run.startsWith('.')) continue;
    runs.set(run, [...(runs.get(run) ?? []), entry]);
  }
  return runs;
}

function isNoFile({ mode }: TreeEntry): boolean {
  return mode !== '100644' && mode !== '100755';
}

/** Runs of the base of which a file is another one here, or gone: a stored run is never written twice. */
function rewrittenFindings(
  changes: readonly TreeChange[],
  { folder, stored }: { readonly folder: string; readonly stored: Reading['stored'] },
) {
  const gone = changes.flatMap(({ path, before }) => (before === null ? [] : [{ ...before, path }]));
  const rewritten = [...runsIn(gone, folder).keys()].filter((run) => stored.has(run)).sort();
  return rewritten.map((run) =>
    makeFinding({
      rule: 'replayed',
      level: 'error',
      message: 'the base has stored a run of this id already, and this change writes over it',
      run,
      place: { file: posix.join(folder, run, RUN_FILES.envelope), line: null, column: null },
    }),
  );
}

interface Reading {
  readonly head: CommitFiles;
  readonly stored: ReadonlyMap<string, readonly TreeEntry[]>;
  readonly wanted: readonly string[];
}

/** Whole runs only, in the order of their names, as many as the limits allow. */
async function readRuns({
  head,
  stored,
  wanted,
}: Reading): Promise<{ readonly files: HeldFiles; readonly judged: ReadonlySet<string> }> {
  const chosen: string[] = [];
  let count = 0;
  for (const run of wanted) {
    count += stored.get(run)?.length ?? 0;
    if (count > MOST_FILES) break;
    chosen.push(run);
  }
  const files = new Map<string, Uint8Array | null>();
  const judged = new Set<string>();
  let bytes = 0;
  await inLanes(chosen, {
    lanes: LANES,
    work: async (run) => {
      if (bytes > MOST_BYTES) return;
      for (const entry of stored.get(run) ?? []) {
        const content = isNoFile(entry) ? null : await head.read(entry.sha);
        bytes += content?.length ?? 0;
        files.set(entry.path, content);
      }
      judged.add(run);
    },
  });
  return { files, judged };
}

function shortfall(judged: number, { of, folder }: { readonly of: number; readonly folder: string }) {
  if (judged === of) return [];
  const message = `${judged} of ${of} runs judged: more are not read by the API for one verdict; let a workflow store them as an artifact`;
  return [
    makeFinding({ rule: 'not-judged', level: 'error', message, place: { file: folder, line: null, column: null } }),
  ];
}

/** Envelopes of runs that the read ones delegated to and that were not read themselves. */
async function childrenOf(
  files: HeldFiles,
  { head, stored, folder }: { readonly head: CommitFiles; readonly stored: Reading['stored']; readonly folder: string },
): Promise<ReadonlyMap<string, Uint8Array>> {
  const wanted = new Map<string, string>();
  for (const [path, bytes] of files) {
    if (bytes === null || posix.basename(path) !== RUN_FILES.envelope) continue;
    for (const child of childIds(bytes)) {
      const at = posix.join(folder, child, RUN_FILES.envelope);
      const entry = stored.get(child)?.find((one) => one.path === at && !isNoFile(one));
      if (entry !== undefined && !files.has(at) && wanted.size < MOST_FILES) wanted.set(at, entry.sha);
    }
  }
  const read = await inLanes([...wanted], {
    lanes: LANES,
    work: async ([path, sha]) => [path, await head.read(sha)] as const,
  });
  return new Map(read);
}

function childIds(envelope: Uint8Array): readonly string[] {
  try {
    const items = parseJson(envelope, { file: RUN_FILES.envelope }).get('delegations')?.items() ?? [];
    return items.flatMap((item) => item.get('delegated_invocation_id')?.string() ?? []);
  } catch (error) {
    // What cannot be read is told when it is judged.
    if (error instanceof GateError) return [];
    throw error;
  }
}

async function readAt(files: CommitFiles, path: string): Promise<Uint8Array | null> {
  const entry = (await files.list([path])).find((one) => one.path === path);
  return entry === undefined ? null : files.read(entry.sha);
}
