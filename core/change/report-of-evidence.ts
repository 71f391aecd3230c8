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

/** Runs that came together, in one folder of a commit or in one artifact. */
export interface EvidencePart {
  readonly archive: ArchiveFacts;
  /** Under what binds. */
  readonly runs: readonly PresentedRun[];
  /** The same runs under the change's own configuration; null where it is the one that binds. */
  readonly underHead: readonly StoredRunVerdict[] | null;
}

/** What was found out about runs that were shown as evidence for a change. */
export interface Evidence {
  readonly parts: readonly EvidencePart[];
  /** As the report names the folder of the runs. */
  readonly runsFolder: string;
  readonly unresolved: ArchiveFacts['unresolved'];
  readonly notices: readonly string[];
  /** Null where no run is wanted for a fixture. */
  readonly matching: Matching | null;
  /** What else was found: of fixtures, profiles, replays. */
  readonly findings: readonly Finding[];
}

/** One report of all that was found; a run that no fixture expects to fail and any fault at all fail it. */
export function reportOfEvidence(evidence: Evidence): GateReport {
  const { parts, runsFolder, unresolved, matching, notices } = evidence;
  const reports = parts.map(reportOfPart);
  const findings = inOrder([
    ...reports.flatMap((report) => report.findings),
    ...[...(matching?.matched ?? [])].flatMap(([run, match]) => unexpected(run, match)),
    ...(matching?.findings ?? []),
    ...evidence.findings,
  ]);
  const bad = findings.some(({ level }) => level === 'error') || reports.some((one) => one.conclusion !== 'passed');
  return {
    command: 'reverify',
    conclusion: bad ? 'failed' : 'passed',
    policyBundleRef: null,
    runsFolder,
    unresolvedPolicy: unresolved,
    subjects: reports.flatMap(({ subjects }) => subjects.map((subject) => underFixture(subject, matching))),
    findings,
    notices: [...notices, ...new Set(reports.flatMap((report) => report.notices)), ...(matching?.notices ?? [])],
  };
}

function reportOfPart({ archive, runs, underHead }: EvidencePart): GateReport {
  const verdicts = runs.map(({ verdict }) => verdict);
  const base = reportOfArchive(verdicts, archive);
  const more = underHead === null ? [] : secondOpinion(base, reportOfArchive(underHead, archive));
  const byRun = new Map(runs.map((run) => [run.run, run]));
  return {
    ...base,
    subjects: base.subjects.map((subject) => {
      const run = byRun.get(subject.run ?? '');
      return { ...subject, agentId: run?.agentId ?? null, outcome: run?.outcome ?? null };
    }),
    findings: [...base.findings, ...more],
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

function underFixture(subject: Subject, matching: Matching | null): Subject {
  const match = matching?.matched.get(subject.run ?? '');
  if (match === undefined) return subject;
  const { fixture, repeat, differences } = match;
  return { ...subject, fixture, repeat, differences, state: stateOf(subject, differences) };
}

/** What the runs themselves came to says more than what their fixture expects, unless it is good or withheld. */
function stateOf({ state }: Subject, differences: readonly string[]): Subject['state'] {
  if (state !== 'passed' && state !== 'withheld') return state;
  return differences.length === 0 ? 'as-expected' : 'unexpected';
}
