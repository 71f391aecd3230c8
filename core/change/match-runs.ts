import { assess, describeReason, type Fixture, type FoundFixture, type RunFacts } from '../fixtures/index.js';
import { composeJson, hashOf, type JsonNode, parseJson } from '../json/index.js';
import { type Finding, makeFinding } from '../report/index.js';
import type { PresentedRun } from '../reverify/present-run.js';
import { isWitnessed } from './is-witnessed.js';

/** Which fixture a run was matched to, and what of it the fixture does not expect. */
export interface Matched {
  readonly fixture: string;
  readonly repeat: { readonly index: number; readonly of: number };
  readonly differences: readonly string[];
}

/** The runs that fixtures want, held against those that are there. */
export interface Matching {
  /** By the name of the run. */
  readonly matched: ReadonlyMap<string, Matched>;
  readonly findings: readonly Finding[];
  readonly notices: readonly string[];
}

/**
 * Matches runs to fixtures by agent and input hash. Evidence holds what somebody chose to put into it: every fixture wants
 * as many runs as it asks for, no fewer and no more, and each is held against the expectation (contract 11).
 */
export function matchRuns(fixtures: readonly FoundFixture[], runs: readonly PresentedRun[]): Matching {
  const roots = runs.filter(({ isDelegated }) => !isDelegated);
  const left = new Map<string, PresentedRun[]>();
  for (const run of roots) {
    const key = keyOfRun(run);
    left.set(key, [...(left.get(key) ?? []), run]);
  }
  const matched = new Map<string, Matched>();
  const findings: Finding[] = [];
  for (const found of fixtures) {
    if (found.kind === 'unreadable') findings.push(fault(found.file, found.reason));
    else findings.push(...takeRuns(found.fixture, { left, matched }));
  }
  const wanted = new Map(fixtures.flatMap((found) => (found.kind === 'read' ? [wantedBy(found.fixture)] : [])));
  for (const [key, extra] of left) {
    const file = wanted.get(key);
    if (file === undefined || extra.length === 0) continue;
    findings.push(surplus(file, extra));
  }
  const strangers = [...left].reduce((sum, [key, extra]) => sum + (wanted.has(key) ? 0 : extra.length), 0);
  const notices =
    strangers === 0 ? [] : [`${strangers} of the runs belong to no fixture; they were judged all the same`];
  return { matched, findings, notices };
}

interface Stock {
  readonly left: Map<string, PresentedRun[]>;
  readonly matched: Map<string, Matched>;
}

function takeRuns(fixture: Fixture, { left, matched }: Stock): readonly Finding[] {
  const key = keyOfFixture(fixture);
  const stock = left.get(key) ?? [];
  const { repeat } = fixture.expectation;
  const fitting = stock.filter(({ run }) => fixture.invocationId === null || fixture.invocationId === run);
  // Of fixtures with one request each takes the runs that it expects, so that they do not take one another's.
  const chosen = [...fitting]
    .sort((a, b) => differences(fixture, a).length - differences(fixture, b).length)
    .slice(0, repeat);
  left.set(
    key,
    stock.filter((run) => !chosen.includes(run)),
  );
  for (const [at, run] of chosen.entries())
    matched.set(run.run, {
      fixture: fixture.file,
      repeat: { index: at + 1, of: repeat },
      differences: differences(fixture, run),
    });
  if (chosen.length === repeat) return [];
  const missing = `the evidence holds ${chosen.length} of ${repeat} ${repeat === 1 ? 'run' : 'runs'} of this fixture`;
  return [fault(fixture.file, missing)];
}

function differences(fixture: Fixture, run: PresentedRun): readonly string[] {
  const facts = factsOf(run);
  if (facts === null) return ['the run does not say how it ended'];
  const assessment = assess({ ...fixture.expectation, repeat: 1 }, [facts]);
  const reasons = assessment.kind === 'as-expected' ? [] : assessment.reasons.map(describeReason);
  const held = fixture.expectation.require === null || isWitnessed(run.verdict);
  return held ? reasons : [...reasons, 'the fixture requires witnesses, and the run was not held to them'];
}

function factsOf({ outcome, rules, verdict }: PresentedRun): RunFacts | null {
  if (outcome === null) return null;
  const { status, reasonCode, problem } = outcome;
  const verified = verdict.sources?.verified ?? 0;
  return { status, reasonCode, problem, rules, verified, unresolved: verdict.sources?.unresolved.length ?? 0 };
}

function surplus(file: string, extra: readonly PresentedRun[]): Finding {
  const message = `the evidence holds more runs of this fixture than it asks for: ${extra.map(({ run }) => run).join(', ')}`;
  return makeFinding({ rule: 'unexpected', level: 'error', message, fixture: file, place: placeOf(file) });
}

function fault(file: string, message: string): Finding {
  return makeFinding({ rule: 'not-judged', level: 'error', message, fixture: file, place: placeOf(file) });
}

function placeOf(file: string) {
  return { file, line: null, column: null };
}

function wantedBy(fixture: Fixture): readonly [string, string] {
  return [keyOfFixture(fixture), fixture.file];
}

function keyOfRun({ agentId, inputHash }: PresentedRun): string {
  return JSON.stringify([agentId, inputHash]);
}

function keyOfFixture({ agentId, request }: Fixture): string {
  const input = request.get('input');
  if (input === undefined) throw new Error('a fixture without an input passed its reader');
  return JSON.stringify([agentId, hashOf(asStored(input), 'dd-input-json-v1')]);
}

/** The input as the conductor stores it: without the nulls of its top level (contract 2). */
function asStored(input: JsonNode): JsonNode {
  const members = new Map(input.entries().filter(([, value]) => value.kind !== 'null'));
  return parseJson(composeJson(members), { file: 'input' });
}
