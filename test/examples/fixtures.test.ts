import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assess, discoverFixtures, type Fixture, type RunFacts, readFixture } from '../../core/fixtures/index.js';
import { diskFixtureFiles } from '../../core/io/fixture-files.js';
import { PROBLEM_BASE } from '../../core/model/outcome.js';
import { type ExampleRun, openWorkbench, root, type Workbench } from './workbench.js';

const files = diskFixtureFiles(root);
const fixtures = discoverFixtures(files, { targets: [relative(root, join(root, 'examples', 'fixtures'))] }).map(
  (file) => readFixture(files, file),
);

let workbench: Workbench;

beforeAll(async () => {
  workbench = await openWorkbench();
});

afterAll(() => workbench.close());

describe('examples/fixtures', () => {
  it.each(fixtures.map((fixture) => [fixture.file, fixture] as const))(
    'does what is expected in %s',
    async (_, fixture) => {
      const runs: RunFacts[] = [];
      for (let i = 0; i < fixture.expectation.repeat; i++) runs.push(factsOf(await run(fixture)));
      expect(assess(fixture.expectation, runs)).toEqual({ kind: 'as-expected' });
    },
  );

  it('holds two fixtures an agent, an abstention, a referral and one that the gate withholds', () => {
    const perAgent = new Map(
      fixtures.map(({ agentId }) => [agentId, fixtures.filter((one) => one.agentId === agentId)]),
    );
    expect([...perAgent.keys()].sort()).toEqual([...workbench.registry.agents.keys()].sort());
    for (const [agentId, own] of perAgent)
      expect([agentId, own.length]).toEqual([agentId, expect.toSatisfy((n: number) => n >= 2)]);
    const statuses = fixtures.map(({ expectation }) => expectation.status);
    expect(statuses).toEqual(expect.arrayContaining(['abstained', 'referred']));
    expect(fixtures.some(({ expectation }) => (expectation.rules ?? []).length > 0)).toBe(true);
  });

  it('repeats the very payload when an agent of mode none is run twice', async () => {
    const fixture = fixtures.find(({ file }) => file.endsWith('hello-words.json'));
    if (fixture === undefined) throw new Error('the fixture is gone');
    const [first, second] = [await run(fixture), await run(fixture)];
    expect(first.plain.payload?.['reply_text']).toEqual(second.plain.payload?.['reply_text']);
  });
});

describe('profiles/strict.yaml', () => {
  it('refers every agent but the one whose class it lets act', async () => {
    const strict = await openWorkbench({ profile: 'strict' });
    try {
      const statuses = new Map<string, Set<string>>();
      for (const { agentId, request } of fixtures) {
        const { plain } = await strict.run(agentId, request.get('input') ?? null);
        statuses.set(agentId, (statuses.get(agentId) ?? new Set()).add(plain.outcome.status));
      }
      const referred = [...statuses]
        .filter(([, seen]) => seen.size === 1 && seen.has('referred'))
        .map(([agentId]) => agentId);
      expect(referred.sort()).toEqual([
        'advisor.draft',
        'advisor.standards',
        'example.announce',
        'example.factcheck',
        'example.hello',
        'orchestrator.stub',
      ]);
      expect(statuses.get('example.miscites')).toEqual(new Set(['failed']));
      expect(statuses.get('advisor.quality')?.has('succeeded')).toBe(true);
    } finally {
      await strict.close();
    }
  });
});

function run({ agentId, request }: Fixture): Promise<ExampleRun> {
  return workbench.run(agentId, request.get('input') ?? null);
}

function factsOf({ grounding, sources, plain }: ExampleRun): RunFacts {
  return {
    status: plain.outcome.status as RunFacts['status'],
    reasonCode: (plain.outcome.reason_code ?? null) as RunFacts['reasonCode'],
    problem: (plain.problem?.type.slice(PROBLEM_BASE.length) ?? null) as RunFacts['problem'],
    rules: [...grounding.rules, ...sources.rules],
    verified: sources.verified,
    unresolved: sources.unresolved.length,
  };
}
