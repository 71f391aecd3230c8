import { buildReport } from '../../core/report/build-report.js';
import type { JudgedRun, RunReport, RunRow } from '../../core/report/run-report.js';

/** A run that passed; tests change what they are about. */
export const PASSED: JudgedRun = {
  kind: 'judged',
  invocationId: '0193b0f0-0000-7000-8000-000000000001',
  mode: 'retrieval',
  outcome: { status: 'succeeded', reasonCode: null, problem: null, statement: 'Two standards fit.' },
  grounding: { passed: true, mode: 'retrieval', rules: [], violations: [], retrievals: 3, chats: 1 },
  sources: { passed: true, verified: 2, unresolved: [], rules: [], violations: [] },
  tokens: { input: 812, output: 96 },
  milliseconds: 1234.5,
  derivations: [{ field: 'recommendations[].score', how: 'lexical', recordedIn: null }],
  differences: [],
};

/** A run that two rules withheld. */
export const WITHHELD: JudgedRun = {
  ...PASSED,
  invocationId: '0193b0f0-0000-7000-8000-000000000002',
  outcome: {
    status: 'failed',
    reasonCode: null,
    problem: 'grounding-violation',
    statement: 'The grounding check failed.',
  },
  grounding: {
    ...PASSED.grounding,
    passed: false,
    rules: ['G2', 'G3'],
    violations: [
      {
        rule: 'G2',
        message: 'src:a was cited and never fetched',
        sourceId: 'src:a',
        pointer: '/payload/grounded_on/0',
      },
      {
        rule: 'G3',
        message: 'no retrieval has the hash aaaaaaaaaaaa',
        place: { file: 'envelope.json', line: 3, column: 7 },
      },
    ],
  },
  sources: {
    passed: false,
    verified: 1,
    unresolved: [{ sourceId: 'src:live', snapshotRef: null }],
    rules: ['S1'],
    violations: [{ rule: 'S1', message: 'the copy has no record src:a', sourceId: 'src:a' }],
  },
};

/** A row; `result` passes unless it is given. */
export function row(fixture: string, result: RunRow['result'] = PASSED, repeat = { index: 1, of: 1 }): RunRow {
  return { fixture, agentId: 'advisor.standards', repeat, result };
}

/** A report of these rows. */
export function reportOf(rows: readonly RunRow[], more: Partial<RunReport> = {}): RunReport {
  return buildReport({
    rows,
    policyBundleRef: 'profile:default@v1',
    runsFolder: 'runs',
    unresolvedPolicy: 'warn',
    notices: [],
    ...more,
  });
}

/** One row of every kind, with text that a model or a pull request may have chosen. */
export const MIXED: RunReport = reportOf(
  [
    row('fixtures/standards/microbiome.json'),
    row('fixtures/standards/miscites.json', WITHHELD),
    row('fixtures/standards/unexpected.json', {
      ...WITHHELD,
      differences: ['run 1: broke G2, G3, S1, and no grounding-violation is expected'],
    }),
    row(
      'fixtures/hello.json',
      { ...PASSED, mode: 'none', tokens: null, milliseconds: 3, derivations: [] },
      { index: 2, of: 3 },
    ),
    row('fixtures/quality/abstains.json', {
      ...PASSED,
      mode: 'input_only',
      tokens: { input: 12, output: null },
      outcome: { status: 'abstained', reasonCode: 'insufficient_input', problem: null, statement: 'Nothing to go on.' },
      sources: {
        ...PASSED.sources,
        verified: 0,
        unresolved: [{ sourceId: 'src:b', snapshotRef: 'snapshot:\u001b[31m' }],
      },
    }),
    row('fixtures/hostile\u202e\n::error::.json', {
      kind: 'unjudged',
      reason: 'the id \u001b]0;x\u0007 is stored already',
    }),
  ],
  { notices: ['no sources.yaml: everything is unresolved'] },
);
