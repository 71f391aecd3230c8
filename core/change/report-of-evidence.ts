import type { StoredRunVerdict } from '../model/stored-run.js';
import {
  type ArchiveFacts,
  type Finding,
  type GateReport,
  inOrder,
  makeFinding,
  reportOfArchive,
  type Subject,
} from '../report/index.js';
import type { PresentedRun } from '../reverify/present-run.js';
import type { Matched, Matching } from './match-runs.js';

/** What was found out about runs that were shown as evidence for a change. */
export interface Evidence {
  readonly archive: ArchiveFacts;
  /** Under what binds. */
  readonly runs: readonly PresentedRun[];
  /** The same runs under the change's own sources; null where those are the ones that bind. */
  readonly underHead: readonly StoredRunVerdict[] | null;
  /** Null where no run is wanted for a fixture. */
  readonly matching: Matching | null;
  /** What else was found: of fixtures, profiles, replays. */
  readonly findings: readonly Finding[];
}

/** One report of all that was found; a run that no fixture expects to fail and any fault at all fail it. */
export function reportOfEvidence({ archive, runs, underHead, matching, findings }: Evidence): GateReport {
  const base = reportOfArchive(
    runs.map(({ verdict }) => verdict),
    archive,
  );
  const matched = matching?.matched ?? new Map<string, Matched>();
  const byRun = new Map(runs.map((run) => [run.run, run]));
  const all = [
    ...base.findings,
    ...(underHead === null ? [] : secondOpinion(base, reportOfArchive(underHead, archive))),
    ...[...matched].flatMap(([run, match]) => unexpected(run, match)),
    ...(matching?.findings ?? []),
    ...findings,
  ];
  return {
    ...base,
    conclusion: all.some(({ level }) => level === 'error') ? 'failed' : base.conclusion,
    subjects: base.subjects.map((subject) => named(subject, { match: matched.get(subject.run ?? ''), byRun })),
    findings: inOrder(all),
    notices: [...base.notices, ...(matching?.notices ?? [])],
  };
}

/** What the change's own sources say against runs that those that bind let pass. */
export function secondOpinion(bound: GateReport, own: GateReport): readonly Finding[] {
  const known = new Set(bound.findings.map(({ run, fingerprint }) => `${run} ${fingerprint}`));
  return own.findings
    .filter(({ run, fingerprint, rule }) => rule !== 'drift' && !known.has(`${run} ${fingerprint}`))
    .map((finding) => ({ ...finding, message: `under the sources of this change, ${finding.message}` }));
}

function unexpected(run: string, { fixture, differences }: Matched): readonly Finding[] {
  const place = { file: fixture, line: null, column: null };
  return differences.map((message) =>
    makeFinding({ rule: 'unexpected', level: 'error', message, run, fixture, place }),
  );
}

function named(
  subject: Subject,
  { match, byRun }: { readonly match: Matched | undefined; readonly byRun: ReadonlyMap<string, PresentedRun> },
): Subject {
  const run = byRun.get(subject.run ?? '');
  const known = { ...subject, agentId: run?.agentId ?? null, outcome: run?.outcome ?? null };
  if (match === undefined) return known;
  const { fixture, repeat, differences } = match;
  return { ...known, fixture, repeat, differences, state: stateOf(subject, differences) };
}

/** What the runs themselves came to says more than what their fixture expects, unless it is good or withheld. */
function stateOf({ state }: Subject, differences: readonly string[]): Subject['state'] {
  if (state !== 'passed' && state !== 'withheld') return state;
  return differences.length === 0 ? 'as-expected' : 'unexpected';
}
