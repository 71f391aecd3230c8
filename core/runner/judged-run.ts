import type { AgentSpecification } from '../agents/specification.js';
import type { InvokedRun } from '../conductor/ports.js';
import { assess, describeReason, type Fixture } from '../fixtures/index.js';
import type { JsonNode } from '../json/index.js';
import type { UnresolvedPolicy } from '../model/report.js';
import { readOutcome } from '../report/read-outcome.js';
import type { JudgedRun, ReportedOutcome } from '../report/run-report.js';
import { underPolicy } from '../report/unresolved.js';

/** What a row is made from: the run, which of the fixture's runs it is, how long it took, and the agent's declaration. */
export interface RunToReport {
  readonly run: InvokedRun;
  readonly fixture: Fixture;
  /** Counts from 1. */
  readonly index: number;
  readonly milliseconds: number;
  readonly specification: AgentSpecification | undefined;
  readonly unresolved: UnresolvedPolicy;
}

/** Reads a stored run's envelope into a row's result and compares it with what its fixture expects. */
export function judgedRun(given: RunToReport): JudgedRun {
  const { run, fixture } = given;
  const outcome = readOutcome(run.envelope);
  if (outcome === null) throw new Error('the conductor wrote an envelope without a status');
  const sources = underPolicy(run.sources, given.unresolved);
  return {
    kind: 'judged',
    invocationId: run.invocationId,
    mode: run.grounding.mode,
    outcome,
    grounding: run.grounding,
    sources,
    tokens: tokensOf(run.envelope),
    milliseconds: given.milliseconds,
    derivations: derivationsOf(run.envelope, given.specification),
    differences: [
      ...differencesOf(given, { outcome, fixture }),
      ...(sources.passed || !run.sources.passed
        ? []
        : [`run ${given.index}: ${run.sources.unresolved.length} unresolved, which --unresolved fail refuses`]),
    ],
  };
}

function differencesOf(
  { run, index }: RunToReport,
  { outcome, fixture }: { readonly outcome: ReportedOutcome; readonly fixture: Fixture },
): readonly string[] {
  const facts = {
    status: outcome.status,
    reasonCode: outcome.reasonCode,
    problem: outcome.problem,
    rules: [...run.grounding.rules, ...run.sources.rules],
    verified: run.sources.verified,
    unresolved: run.sources.unresolved.length,
  };
  // Each run is assessed as it ends, so that --fail-fast can stop at it; the repeats are counted by the rows.
  const assessment = assess({ ...fixture.expectation, repeat: 1 }, [facts]);
  if (assessment.kind === 'as-expected') return [];
  return assessment.reasons.map((reason) =>
    describeReason(reason.kind === 'runs' ? reason : { ...reason, run: index }),
  );
}

function tokensOf(envelope: JsonNode): JudgedRun['tokens'] {
  const telemetry = envelope.get('telemetry');
  const input = telemetry?.present('input_tokens')?.integer() ?? null;
  const output = telemetry?.present('output_tokens')?.integer() ?? null;
  return input === null && output === null ? null : { input, output };
}

/** Only a payload has fields to speak of. */
function derivationsOf(envelope: JsonNode, specification: AgentSpecification | undefined): JudgedRun['derivations'] {
  if (specification === undefined || !envelope.has('payload')) return [];
  return [...specification.derivations].map(([field, { how, recordedIn }]) => ({ field, how, recordedIn }));
}
