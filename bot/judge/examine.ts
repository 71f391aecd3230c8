import {
  agentFindings,
  changeFindings,
  commitFixtureFiles,
  type EvidencePart,
  type Finding,
  type FixturePlan,
  GateError,
  type GateReport,
  matchRuns,
  mergeFixtures,
  type PresentedRun,
  plainBytes,
  policyFindings,
  replayFindings,
  reportOfEvidence,
} from '../../core/index.js';
import { CONFIG_FILE } from '../config/grounding-config.js';
import { artifactRuns } from '../evidence/artifact-runs.js';
import type { Evidence, FoundEvidence, HeldArchive } from '../evidence/evidence.js';
import { treeRuns } from '../evidence/tree-runs.js';
import type { ExamineWorld } from '../world.js';
import { type Binding, bindCommits } from './binding.js';
import { claimFindings } from './claims.js';
import { isConcerned } from './concern.js';
import { judgeArchive, tracesOf } from './judge-archive.js';
import type { Outcome } from './outcome.js';
import { placeReport } from './place-report.js';
import { shownBefore, twiceShown } from './shown-before.js';
import type { Target } from './target.js';

/**
 * Judges a commit: finds what binds, what there is to judge, whether it is all there, and puts one report together. What is wrong with
 * the configuration is an outcome; rejects only with what another try may mend.
 */
export async function examine(target: Target, world: ExamineWorld): Promise<Outcome> {
  if (!(await isConcerned(target))) return { kind: 'nothing' };
  const tree = await evidenceInTree(target);
  const stored = await evidenceOfWorkflow(target, world);
  if (stored !== null && stored.kind !== 'found') return stored;
  const found = stored === null ? [tree] : [tree, stored];
  if (found.every(({ archives, findings }) => archives.length === 0 && findings.length === 0))
    return noRuns(target, stored);
  const binding = await bindCommits({ ...target, secret: world.secret() });
  try {
    return await judge({ target, world, binding, found, stored });
  } finally {
    binding.close();
  }
}

function evidenceInTree({ head, fork, config, changes }: Target): Promise<FoundEvidence> {
  return treeRuns({ head, base: fork, folder: config.runsPath, changes, choice: config.runs });
}

async function evidenceOfWorkflow(target: Target, { unzip }: ExamineWorld): Promise<Evidence | null> {
  const { config, repository, headSha, headRepository } = target;
  const { workflow, artifact } = config;
  if (workflow === null) return null;
  const query = { workflow, artifact, headSha, headRepository, repositoryId: repository.id };
  return artifactRuns(repository, { query, unzip });
}

function noRuns({ config }: Target, stored: Evidence | null): Outcome {
  if (stored !== null) {
    const remedy = 'let the workflow store the run folders that it makes, whole';
    return { kind: 'missing', what: `the artifact ${config.artifact} holds no run`, remedy };
  }
  return {
    kind: 'missing',
    what: `this change brings no stored run below ${config.runsPath}`,
    remedy: `commit the runs that show what it does, name the workflow that stores them in ${CONFIG_FILE}, or leave out in its paths what no run can show`,
  };
}

/**
 * A run whose result was withheld holds nothing that could be judged, and nothing shows that an agent ever ran: alone it is no evidence,
 * unless a fixture wants just that.
 */
function showsNothing(parts: readonly EvidencePart[], plan: FixturePlan): boolean {
  const runs = parts.flatMap((part) => part.runs);
  if (runs.some(({ verdict }) => verdict.state !== 'withheld')) return false;
  return [...matchRuns(plan.fixtures, runs).matched.values()].every(({ differences }) => differences.length > 0);
}

function onlyWithheld({ config }: Target): Outcome {
  return {
    kind: 'missing',
    what: 'no run has a result that could be judged: what was withheld shows nothing',
    remedy: `bring runs whose results can be judged; where an agent is meant to be stopped, add a fixture below ${config.fixtures.join(', ')} that expects it`,
  };
}

interface Judging {
  readonly target: Target;
  readonly world: ExamineWorld;
  readonly binding: Binding;
  readonly found: readonly FoundEvidence[];
  readonly stored: Evidence | null;
}

async function judge({ target, world, binding, found, stored }: Judging): Promise<Outcome> {
  const plan = await fixturesOf(target);
  const parts: EvidencePart[] = [];
  // Runs that a workflow made for the fixtures; those that a change commits are an archive, and wanted by none.
  const delivered: PresentedRun[] = [];
  const committed: PresentedRun[] = [];
  const findings: Finding[] = [
    ...found.flatMap((one) => one.findings),
    ...changeFindings(plan.changes),
    ...(await agentLoosenings(target)),
  ];
  const known = await storedOnBase(target);
  const fixed = namedIn(plan);
  for (const evidence of found)
    for (const archive of evidence.archives) {
      const part = await judgeArchive(archive, { binding, world });
      parts.push(part);
      (evidence === stored ? delivered : committed).push(...part.runs);
      findings.push(...findingsOf(part.runs, { archive, evidence, binding, known, named: fixed }));
    }
  findings.push(...twiceShown(committed, delivered));
  findings.push(...(await shownBefore(delivered, { stored, target, world, named: fixed })));
  const matching = stored === null ? null : matchRuns(plan.fixtures, delivered);
  const report = reportOfEvidence({
    parts,
    runsFolder: target.config.runsPath,
    unresolved: target.config.unresolved,
    notices: [...binding.notices, ...found.flatMap(({ notices }) => notices), ...planNotices(plan)],
    matching,
    findings,
  });
  if (report.conclusion === 'passed' && showsNothing(parts, plan)) return onlyWithheld(target);
  const named = { ...report, policyBundleRef: binding.profile?.policyBundleRef ?? null };
  const whole = withClaims(named, found);
  const archives = found.flatMap((one) => one.archives);
  return {
    kind: 'judged',
    report: await placeReport(whole, { target, binding, archives }),
    traces: tracesOf(whole, archives),
  };
}

/** A repository without any fixture has none to lose; in one that has some, what cannot be read is told as it is. */
async function fixturesOf({ base, head, config }: Target): Promise<FixturePlan> {
  const targets = config.fixtures;
  const read = { targets, prefix: '' };
  try {
    return mergeFixtures(
      { base: await commitFixtureFiles(base, read), head: await commitFixtureFiles(head, read) },
      targets,
    );
  } catch (error) {
    const none = error instanceof GateError && (error.code === 'fixtures-none' || error.code === 'config-missing');
    if (none && config.workflow === null) return { fixtures: [], changes: [], protected: false };
    throw error;
  }
}

/** What the change itself did to agents.yaml: what the base has gained since is not held against it. */
async function agentLoosenings({ base, head, config, changes }: Target): Promise<readonly Finding[]> {
  const { agents: file } = config;
  if (!changes.some(({ path }) => path === file)) return [];
  return agentFindings({ base: await plainBytes(base, file), head: await plainBytes(head, file), file });
}

/** Names of runs that the base holds already. */
async function storedOnBase({ base, config }: Target): Promise<ReadonlySet<string>> {
  const { runsPath } = config;
  const entries = await base.list([runsPath === '' ? '.' : runsPath]);
  const prefix = runsPath === '' ? 0 : runsPath.length + 1;
  return new Set(entries.map(({ path }) => path.slice(prefix).split('/')[0] ?? ''));
}

interface Surroundings {
  readonly archive: HeldArchive;
  readonly evidence: FoundEvidence;
  readonly binding: Binding;
  readonly known: ReadonlySet<string>;
  /** Ids that fixtures name, so that each of their runs has the same. */
  readonly named: ReadonlySet<string>;
}

function findingsOf(runs: readonly PresentedRun[], around: Surroundings): readonly Finding[] {
  const { archive, evidence, binding, known, named } = around;
  const { folder } = archive;
  const fresh = runs.filter(({ run, verdict }) => archive.isFresh(run) && verdict.state !== 'unreadable');
  const { profile, own } = binding;
  const second = own?.profile ?? null;
  return [
    ...(profile === null ? [] : policyFindings(fresh, { profile, whose: 'base', folder })),
    ...(second === null || second === profile
      ? []
      : policyFindings(fresh, { profile: second, whose: 'change', folder })),
    ...(evidence.between === null ? [] : replayFindings(fresh, { known, between: evidence.between, named, folder })),
  ];
}

function namedIn({ fixtures }: FixturePlan): ReadonlySet<string> {
  return new Set(fixtures.flatMap((found) => (found.kind === 'read' ? (found.fixture.invocationId ?? []) : [])));
}

function planNotices({ changes }: FixturePlan): readonly string[] {
  return changes.flatMap((change) => {
    if (change.kind === 'added') return [`this change adds the fixture ${change.file}`];
    if (change.kind === 'changed')
      return [`this change alters the fixture ${change.file}: a run of the base's version is wanted as well`];
    return [];
  });
}

/** Held against what was found without them, since they decide nothing. */
function withClaims(report: GateReport, found: readonly FoundEvidence[]): GateReport {
  const runs = new Set(report.subjects.flatMap(({ run }) => run ?? []));
  const archives = found.flatMap((one) => one.archives);
  const claims = claimFindings(archives, { conclusion: report.conclusion, runs });
  return claims.length === 0 ? report : { ...report, findings: [...report.findings, ...claims] };
}
