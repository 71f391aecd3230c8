import pLimit from 'p-limit';
import type { AgentRegistry } from '../agents/agent.js';
import type { InvokedRun } from '../conductor/ports.js';
import type { Fixture, FoundFixture } from '../fixtures/index.js';
import type { JsonNode } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import type { UnresolvedPolicy } from '../model/report.js';
import type { Requirement } from '../model/requirement.js';
import { stateOf } from '../report/build-report.js';
import type { RunRow } from '../report/run-report.js';
import { completeRequest, type RequestWorld } from './complete-request.js';
import { judgedRun } from './judged-run.js';
import { PayloadMemory } from './payload-memory.js';

/** Runs the request of a fixture; `asked` is what its expectation asks of the run. */
export type InvokeFixture = (request: JsonNode, asked: { readonly require?: Requirement }) => Promise<InvokedRun>;

/** Which run of a fixture, from 1. */
export interface AskedRun {
  readonly fixture: Fixture;
  readonly index: number;
}

/** How fixtures are worked through. */
export interface FixtureRun {
  readonly fixtures: readonly FoundFixture[];
  readonly registry: AgentRegistry;
  readonly invoke: InvokeFixture;
  /** The same without a network; where it is left out, a fixture that asks for it is not judged. */
  readonly invokeOffline?: InvokeFixture;
  /** Takes the place of both: the run comes from a recording. */
  readonly replay?: (asked: AskedRun) => Promise<InvokedRun>;
  /** Is handed every run that was made before it is told; where it throws, the run is not judged. */
  readonly keep?: (made: AskedRun & { readonly run: InvokedRun }) => void;
  readonly world: RequestWorld;
  readonly unresolved: UnresolvedPolicy;
  /** Runs at the same time, at least 1. */
  readonly jobs: number;
  /** Start no further run after one that did not end as expected. */
  readonly failFast: boolean;
  /** Called after every run. */
  readonly onRow?: (row: RunRow) => void;
}

interface Task {
  readonly found: FoundFixture;
  readonly index: number;
  readonly of: number;
}

/**
 * Runs every fixture as often as it asks, and gives the rows in fixture order, whatever order they ended in. A run that
 * the conductor or the reader refuses is a row that is not judged; an error of ours rejects, after all runs have ended.
 */
export async function runFixtures(run: FixtureRun): Promise<readonly RunRow[]> {
  const limit = pLimit(run.jobs);
  let stopped = false;
  const payloads = new PayloadMemory();
  const rows = await Promise.allSettled(
    tasksOf(run.fixtures).map((task) =>
      limit(async () => {
        const row = stopped ? notStarted(task) : await rowOf(task, { ...run, payloads });
        if (run.failFast && stateOf(row) !== 'as-expected') stopped = true;
        run.onRow?.(row);
        return row;
      }),
    ),
  );
  return rows.map((settled) => {
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  });
}

/** How many rows `runFixtures` will give. */
export function countRuns(fixtures: readonly FoundFixture[]): number {
  return tasksOf(fixtures).length;
}

function tasksOf(fixtures: readonly FoundFixture[]): readonly Task[] {
  return fixtures.flatMap((found) => {
    const of = found.kind === 'read' ? found.fixture.expectation.repeat : 1;
    return Array.from({ length: of }, (_, at) => ({ found, index: at + 1, of }));
  });
}

async function rowOf(task: Task, run: FixtureRun & { readonly payloads: PayloadMemory }): Promise<RunRow> {
  const { found } = task;
  if (found.kind === 'unreadable') return { ...headOf(task), result: { kind: 'unjudged', reason: found.reason } };
  const { fixture } = found;
  const begun = run.world.clock.nowNs();
  try {
    const { require } = fixture.expectation;
    const asked = require === null ? {} : { require };
    const which = { fixture, index: task.index };
    const invoked = await (run.replay === undefined
      ? invokerOf(fixture, run)(completeRequest(fixture.request, run.world), asked)
      : run.replay(which));
    run.keep?.({ ...which, run: invoked });
    const milliseconds = Number(run.world.clock.nowNs() - begun) / 1e6;
    const specification = run.registry.agents.get(fixture.agentId)?.specification;
    const { unresolved } = run;
    const result = judgedRun({ run: invoked, fixture, index: task.index, milliseconds, specification, unresolved });
    const repeated = run.payloads.difference({ fixture: fixture.file, index: task.index, run: invoked });
    const differences = repeated === null ? result.differences : [...result.differences, repeated];
    const replayed = run.replay === undefined ? {} : { replayed: true as const };
    return { ...headOf(task), result: { ...result, ...replayed, differences } };
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    return { ...headOf(task), result: { kind: 'unjudged', reason: error.describe() } };
  }
}

/** Throws GateError `offline-unavailable` rather than give a fixture a network that it must not have. */
function invokerOf(fixture: Fixture, run: FixtureRun): InvokeFixture {
  if (!fixture.expectation.offline) return run.invoke;
  if (run.invokeOffline !== undefined) return run.invokeOffline;
  throw gateError('offline-unavailable', {
    blame: 'configuration',
    message: 'fixtures are not run without a network here',
    remedy: 'run it with grounding run, or leave out offline: true',
    place: { file: fixture.file },
  });
}

function notStarted(task: Task): RunRow {
  const reason = 'not started: an earlier run did not end as expected';
  return { ...headOf(task), result: { kind: 'unjudged', reason } };
}

function headOf({ found, index, of }: Task): Omit<RunRow, 'result'> {
  const fixture = found.kind === 'read' ? found.fixture.file : found.file;
  const agentId = found.kind === 'read' ? found.fixture.agentId : '-';
  return { fixture, agentId, repeat: { index, of } };
}
