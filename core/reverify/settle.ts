import { oneLine } from '../model/errors.js';
import type { UnresolvedPolicy } from '../model/report.js';
import type { RunState, StoredRunVerdict, Tampering } from '../model/stored-run.js';
import { underPolicy } from '../report/unresolved.js';
import type { IndexTable } from './index-table.js';
import type { LineVerdict } from './same-document.js';
import type { RecordedChild, SoloVerdict, UnreadableRun } from './solo.js';

/** A delegated run as the archive holds it: its envelope's hash, `unreadable`, or null when it is not there. */
export type StoredChild = { readonly hash: string } | 'unreadable' | null;

/** One run of the archive: its verdict on itself, and what is stored of each run that it delegated to. */
export interface ExaminedRun {
  readonly name: string;
  readonly solo: SoloVerdict | UnreadableRun;
  /** How the run's only index line compares with its envelope; null when there is no such line. */
  readonly line: LineVerdict | null;
  /** By child id. */
  readonly children: ReadonlyMap<string, StoredChild>;
}

/** As much of an index as a verdict asks. */
type CountedLines = Pick<IndexTable, 'lines'>;

/** What the rest of the archive says. */
export interface Surroundings {
  /** Null for an archive without an index file. */
  readonly index: CountedLines | null;
  readonly unresolved: UnresolvedPolicy;
}

/** The verdict on a run in its archive: its own, and the tests against the index and the runs it delegated to (contract 10). */
export function settleRun(run: ExaminedRun, around: Surroundings): StoredRunVerdict {
  const { name, solo } = run;
  if (solo.kind === 'unreadable') return { ...NOTHING, run: name, state: 'unreadable', error: oneLine(solo.error) };
  // Under another run's name there is no telling which line would be its own.
  const tampering = name === solo.invocationId ? testIndexLine(run, around.index) : testName(name, solo);
  for (const child of solo.children) tampering.push(...testChild(child, { run, index: around.index }));
  for (const found of solo.tampering) tampering.push(found);
  const sources = underPolicy(solo.sources, around.unresolved);
  const judged = solo.grounding.passed && sources.passed;
  return {
    run: name,
    state: stateOf({ tampered: tampering.length > 0, withheld: solo.withheld, judged }),
    grounding: solo.grounding,
    sources,
    error: errorOf(tampering),
    tampering,
    absent: absentChildren(run, around.index),
    sourcesDrift: solo.sourcesDrift,
    sealed: null,
  };
}

/** What is said of an index line whose run has no folder. */
export const NO_FOLDER: Tampering = { test: 'no-folder', message: 'the index lists this run, and it has no folder' };

/** The verdict on something of which only its name and what was done to it are known. */
export function tamperedRun(name: string, tampering: readonly Tampering[]): StoredRunVerdict {
  return { ...NOTHING, run: name, state: 'tampered', error: errorOf(tampering), tampering };
}

/** A verdict with more that was found against its run. */
export function withTampering(verdict: StoredRunVerdict, found: readonly Tampering[]): StoredRunVerdict {
  if (found.length === 0) return verdict;
  const tampering = [...verdict.tampering, ...found];
  // What could not be read has a reason of its own, which stays.
  if (verdict.state === 'unreadable') return { ...verdict, tampering };
  return { ...verdict, state: 'tampered', tampering, error: errorOf(tampering) };
}

const NOTHING = {
  grounding: null,
  sources: null,
  error: null,
  tampering: [],
  absent: [],
  sourcesDrift: false,
  sealed: null,
} as const;

function stateOf(facts: {
  readonly tampered: boolean;
  readonly withheld: boolean;
  readonly judged: boolean;
}): RunState {
  if (facts.tampered) return 'tampered';
  if (facts.withheld) return 'withheld';
  return facts.judged ? 'passed' : 'failed';
}

function errorOf(tampering: readonly Tampering[]): string | null {
  return tampering.length === 0 ? null : oneLine(tampering.map(({ message }) => message).join('; '));
}

function testName(name: string, { invocationId }: SoloVerdict): Tampering[] {
  const said = invocationId === null ? 'states no invocation_id' : `is of the run ${invocationId}`;
  return [{ test: 'folder-name', message: `the envelope ${said}, the folder is named ${name}` }];
}

function testIndexLine({ name, line }: ExaminedRun, index: CountedLines | null): Tampering[] {
  if (index === null) return [];
  const lines = index.lines(name);
  if (lines > 1) return [{ test: 'index-doubled', message: `the index has ${lines} lines for this run` }];
  if (line === 'same') return [];
  if (line === 'differs')
    return [{ test: 'index-differs', message: "the run's line in the index is another document than its envelope" }];
  // A line that cannot be read is ignored, and then the run has none.
  return [{ test: 'index-missing', message: 'the index has no line for this run' }];
}

function testChild(
  { childId, contentHash }: RecordedChild,
  { run, index }: { readonly run: ExaminedRun; readonly index: CountedLines | null },
): Tampering[] {
  const stored = run.children.get(childId) ?? null;
  if (stored === null) {
    if (index === null || index.lines(childId) === 0) return [];
    return [{ test: 'child-missing', message: `the delegated run ${childId} is in the index and has no folder` }];
  }
  if (stored === 'unreadable')
    return [{ test: 'child-differs', message: `the delegated run ${childId} is stored and cannot be read` }];
  if (stored.hash === contentHash) return [];
  return [{ test: 'child-differs', message: `the delegated run ${childId} is not stored as it was recorded` }];
}

function absentChildren({ solo, children }: ExaminedRun, index: CountedLines | null): readonly string[] {
  if (solo.kind === 'unreadable' || solo.children.length === 0) return [];
  const absent = solo.children.filter(
    ({ childId }) => (children.get(childId) ?? null) === null && (index?.lines(childId) ?? 0) === 0,
  );
  return [...new Set(absent.map(({ childId }) => childId))];
}
