import type { UnresolvedPolicy } from '../model/report.js';
import { isBadState, type StoredRunVerdict } from '../model/stored-run.js';
import type { Place, Violation } from '../model/violation.js';
import { concludeCheck } from './conclusion.js';
import { doubtFindings } from './doubt-findings.js';
import type { Finding, FindingFacts, FindingPlace } from './finding.js';
import type { GateReport, Subject } from './gate-report.js';
import { inOrder, makeFinding, violationFinding } from './make-finding.js';
import { unresolvedFindings } from './unresolved-findings.js';

/** Where an archive stands, and what else was said about it. */
export interface ArchiveFacts {
  /** As findings name it: relative to the repository's root, with `/`. */
  readonly runsFolder: string;
  readonly unresolved: UnresolvedPolicy;
  readonly notices: readonly string[];
}

/** What `grounding reverify` found out about stored runs (contracts 9 and 10). */
export function reportOfArchive(verdicts: readonly StoredRunVerdict[], archive: ArchiveFacts): GateReport {
  return {
    command: 'reverify',
    conclusion: concludeCheck(!verdicts.some((verdict) => isBadState(verdict.state))),
    policyBundleRef: null,
    runsFolder: archive.runsFolder,
    unresolvedPolicy: archive.unresolved,
    subjects: verdicts.map(subjectOf),
    findings: inOrder(verdicts.flatMap((verdict) => findingsOf(verdict, archive))),
    notices: archive.notices,
  };
}

function subjectOf({ run, state, grounding, sources, error }: StoredRunVerdict): Subject {
  return {
    fixture: null,
    agentId: null,
    repeat: { index: 1, of: 1 },
    run,
    state,
    error,
    differences: [],
    mode: grounding?.mode ?? null,
    outcome: null,
    grounding,
    sources,
    tokens: null,
    milliseconds: null,
    derivations: [],
  };
}

function findingsOf(verdict: StoredRunVerdict, archive: ArchiveFacts): readonly Finding[] {
  const { run, grounding, sources } = verdict;
  const envelope = `${archive.runsFolder}/${run}/envelope.json`;
  const told = { run, fixture: null };
  const place: FindingPlace = { file: envelope, line: null, column: null };
  const policy = archive.unresolved;
  const plain = (rule: FindingFacts['rule'], level: Finding['level'], message: string): Finding =>
    makeFinding({ rule, level, message, ...told, place });
  // What was withheld is shown to nobody any more; its faults are history.
  const level = verdict.state === 'withheld' ? 'note' : 'error';
  return [
    ...(verdict.state === 'unreadable' ? [plain('unreadable', 'error', verdict.error ?? '')] : []),
    ...verdict.tampering.map(({ message }) => plain('tampered', 'error', message)),
    ...[...(grounding?.violations ?? []), ...(sources?.violations ?? [])].map((violation) =>
      violationFinding(violation, { ...told, level, place: placeOf(violation, { run, archive, envelope }) }),
    ),
    ...(grounding === null || verdict.state === 'withheld'
      ? []
      : doubtFindings(grounding, { ...told, placeOf: (doubt) => placeOf(doubt, { run, archive, envelope }) })),
    ...(sources === null || verdict.state === 'withheld'
      ? []
      : unresolvedFindings(sources, { ...told, place, policy })),
    ...(verdict.sourcesDrift
      ? [plain('drift', 'warning', 'the source check says something else than sources.txt')]
      : []),
  ];
}

/** The reader knows a stored file by its path below the runs folder, or by its name alone. */
function placeOf(
  { place }: Pick<Violation, 'place'>,
  at: { readonly run: string; readonly archive: ArchiveFacts; readonly envelope: string },
): FindingPlace {
  if (place === undefined) return { file: at.envelope, line: null, column: null };
  return { ...place, file: storedFile(place, at) };
}

function storedFile(
  { file }: Place,
  { run, archive }: { readonly run: string; readonly archive: ArchiveFacts },
): string {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return `${archive.runsFolder}/${run}/${name}`;
}
