import { posix } from 'node:path';
import {
  type EvidencePart,
  GateError,
  type GateReport,
  presentRun,
  RUN_FILES,
  readSpans,
  reverifyHeld,
  type SourceCopies,
  type Span,
  type UnresolvedPolicy,
} from '../../core/index.js';
import type { HeldArchive } from '../evidence/evidence.js';
import type { JudgeWorld } from '../world.js';
import type { Binding } from './binding.js';

/** Timelines that are drawn: a comment has room for no more. */
const MOST_TRACES = 20;

/** Judges the runs of an archive under what binds, and once more under the change's own where that is another. */
export async function judgeArchive(
  archive: HeldArchive,
  { binding, world }: { readonly binding: Binding; readonly world: JudgeWorld },
): Promise<EvidencePart> {
  const { files, folder, only } = archive;
  const judge = (copies: SourceCopies, unresolved: UnresolvedPolicy) =>
    reverifyHeld({
      files,
      folder,
      copies,
      unresolved,
      only: only === null ? null : (run) => only.has(run),
      breathe: world.breathe,
    });
  const { config, own } = binding;
  const bound = await judge(binding.sources, config.unresolved);
  const notices = bound.badLines.map(
    ({ line, reason }) => `invocations.jsonl:${line} was ignored, since it cannot be read: ${reason}`,
  );
  return {
    archive: { runsFolder: folder, unresolved: config.unresolved, notices },
    runs: bound.verdicts.map((verdict) => presentRun(verdict, { files, folder })),
    underHead: own === null ? null : (await judge(own.sources, own.config.unresolved)).verdicts,
  };
}

/** The spans of runs that failed, drawn as they went; a run that cannot be read has none. */
export function tracesOf(
  { findings }: GateReport,
  archives: readonly HeldArchive[],
): ReadonlyMap<string, readonly Span[]> {
  const failed = findings.filter(({ level }) => level === 'error').flatMap(({ run }) => run ?? []);
  const traces = new Map<string, readonly Span[]>();
  for (const run of [...new Set(failed)].slice(0, MOST_TRACES)) {
    const spans = spansOf(run, archives);
    if (spans !== null) traces.set(run, spans);
  }
  return traces;
}

function spansOf(run: string, archives: readonly HeldArchive[]): readonly Span[] | null {
  for (const { files, folder } of archives) {
    const bytes = files.get(posix.join(folder, run, RUN_FILES.spans));
    if (bytes === undefined || bytes === null) continue;
    try {
      return readSpans(bytes, { file: `${run}/${RUN_FILES.spans}` });
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
    }
  }
  return null;
}
