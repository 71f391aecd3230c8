import { byCodePoint } from '../json/index.js';
import type { UnresolvedPolicy } from '../model/report.js';
import type { StoredRunVerdict } from '../model/stored-run.js';
import type { SourceCopies } from '../sources/index.js';
import type { RunContents, RunFile } from '../store/index.js';
import { judgeContents } from './examine.js';
import type { LineVerdict } from './same-document.js';
import { isInShard, isWanted, type Selection } from './select.js';
import { NO_FOLDER, type StoredChild, settleRun, tamperedRun } from './settle.js';
import type { UnreadableRun } from './solo.js';
import type { TarEntries } from './tar-ports.js';
import { bytesOf, MAX_TAR_FILE_BYTES, placeUnder, segmentsOf, surveyTar, type TarSurvey } from './tar-survey.js';

/** What is to be judged. */
export interface TarReverification {
  readonly entries: TarEntries;
  /** The folder of the runs in the stream; null to find it. */
  readonly root: string | null;
  readonly selection: Selection;
  readonly unresolved: UnresolvedPolicy;
  readonly copies: SourceCopies;
}

/** A tar stream that was walked once; `rows` walks it again. */
export interface OpenedTar {
  readonly survey: TarSurvey;
  readonly wanted: number;
  readonly total: number;
  /** One verdict a run, in folder-name order. */
  rows(): AsyncGenerator<StoredRunVerdict>;
}

/** Surveys a tar stream; rejects with GateError `tar-refused` for one that is broken or leads elsewhere. */
export async function openTar(work: TarReverification): Promise<OpenedTar> {
  const survey = await surveyTar(work.entries, work.root);
  const lost = [...(survey.index?.ids() ?? [])].filter((id) => !survey.runs.has(id));
  const wanted = [...survey.runs.keys(), ...lost].filter((name) => isWanted(name, work.selection)).sort(byCodePoint);
  const names = wanted.filter((name) => isInShard(name, work.selection));
  return { survey, wanted: wanted.length, total: names.length, rows: () => rowsOf(names, { work, survey }) };
}

interface Context {
  readonly work: TarReverification;
  readonly survey: TarSurvey;
}

/** Verdicts are held back until it is their turn; in a stream that is sorted by name that is at once. */
async function* rowsOf(names: readonly string[], context: Context): AsyncGenerator<StoredRunVerdict> {
  const ready = new Map<string, StoredRunVerdict>();
  const { survey } = context;
  const asked = new Set(names);
  let next = 0;
  function* due(): Generator<StoredRunVerdict> {
    for (let name = names[next]; name !== undefined; name = names[next]) {
      const verdict = ready.get(name) ?? withoutFiles(name, context);
      if (verdict === undefined) return;
      ready.delete(name);
      next++;
      yield verdict;
    }
  }
  yield* due();
  for await (const { name, contents } of runsIn(context, asked)) {
    ready.set(name, verdictOn({ name, contents }, context));
    yield* due();
  }
  const left = names[next];
  if (left !== undefined && survey.runs.has(left)) throw new Error(`the stream no longer holds the run ${left}`);
}

/** The verdict on a run of which no file will come: lost, or faulty by its headers; undefined for any other. */
function withoutFiles(name: string, { survey, work }: Context): StoredRunVerdict | undefined {
  const run = survey.runs.get(name);
  if (run === undefined) return tamperedRun(name, [NO_FOLDER]);
  const fault = run.fault ?? (run.files === 0 ? `${name}/envelope.json: no such file` : null);
  if (fault === null) return undefined;
  const solo: UnreadableRun = { kind: 'unreadable', error: `${fault} [run-file-refused]` };
  return settleRun(
    { name, solo, line: null, children: new Map() },
    { index: survey.index, unresolved: work.unresolved },
  );
}

/** Every readable run with its files, as soon as the last of them has come. */
async function* runsIn(
  { work, survey }: Context,
  asked: ReadonlySet<string>,
): AsyncGenerator<{ readonly name: string; readonly contents: RunContents }> {
  const gathered = new Map<string, Map<RunFile, Uint8Array>>();
  for await (const entry of work.entries()) {
    const place = placeUnder(survey.root, segmentsOf(entry.path));
    if (place?.file === undefined || !asked.has(place.run)) continue;
    const run = survey.runs.get(place.run);
    if (run === undefined || run.fault !== null || entry.size > MAX_TAR_FILE_BYTES) continue;
    const files = gathered.get(place.run) ?? new Map<RunFile, Uint8Array>();
    files.set(place.file, await bytesOf(entry));
    if (files.size < run.files) {
      gathered.set(place.run, files);
      continue;
    }
    gathered.delete(place.run);
    yield { name: place.run, contents: contentsOf(files) };
  }
}

function contentsOf(files: ReadonlyMap<RunFile, Uint8Array>): RunContents {
  const [request, envelope, spans] = [files.get('request'), files.get('envelope'), files.get('spans')];
  return { request, envelope, spans, grounding: files.get('grounding'), sources: files.get('sources') };
}

function verdictOn(
  run: { readonly name: string; readonly contents: RunContents },
  { work, survey }: Context,
): StoredRunVerdict {
  const { name } = run;
  const solo = judgeContents(run, work.copies);
  const children = new Map<string, StoredChild>();
  if (solo.kind === 'judged')
    for (const { childId } of solo.children) {
      const child = survey.runs.get(childId);
      children.set(
        childId,
        child === undefined ? null : ((child.fault === null ? child.envelope : null) ?? 'unreadable'),
      );
    }
  const around = { index: survey.index, unresolved: work.unresolved };
  return settleRun({ name, solo, line: lineOf(name, survey), children }, around);
}

function lineOf(name: string, { index, runs }: TarSurvey): LineVerdict | null {
  const envelope = runs.get(name)?.envelope ?? null;
  if (index === null || index.lines(name) !== 1 || envelope === null || envelope === 'unreadable') return null;
  return envelope.hash === index.hash(name) ? 'same' : 'differs';
}
