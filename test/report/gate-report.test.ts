import { describe, expect, test } from 'vitest';
import { RUN_STATES } from '../../core/model/stored-run.js';
import { GROUNDING_RULES, SOURCE_RULES } from '../../core/model/violation.js';
import { exitCodeOf } from '../../core/report/conclusion.js';
import { FINDING_LEVELS, type FindingFacts, GATE_FAULTS } from '../../core/report/finding.js';
import { findingPage, findingPages } from '../../core/report/finding-pages.js';
import { inOrder, makeFinding } from '../../core/report/make-finding.js';
import { renderReportJson } from '../../core/report/report-json.js';
import { reportOfArchive } from '../../core/report/report-of-archive.js';
import { reportOfLint, reportOfVerify } from '../../core/report/report-of-envelope.js';
import { reportOfRun } from '../../core/report/report-of-run.js';
import { renderSarif } from '../../core/report/sarif.js';
import { MIXED, PASSED, reportOf, row, WITHHELD } from './make-report.js';
import { schemaOf } from './published.js';
import { ARCHIVE } from './stored-verdicts.js';

const told = (findings: readonly { readonly level: string; readonly rule: string }[]): readonly string[] =>
  findings.map(({ level, rule }) => `${level} ${rule}`);

const unresolved = {
  ...PASSED,
  sources: { ...PASSED.sources, unresolved: [1, 2].map(() => ({ sourceId: 'src:x', snapshotRef: null })) },
};

describe('reportOfRun', () => {
  test('returns what a fixture expects as notes, and what it does not as errors', () => {
    expect(told(reportOfRun(reportOf([row('a', WITHHELD)])).findings)).toEqual(['note G2', 'note G3', 'note S1']);
    const failed = reportOfRun(reportOf([row('a', { ...WITHHELD, differences: ['d'] })]));
    expect(told(failed.findings)).toEqual(['error G2', 'error G3', 'error S1', 'error unexpected']);
  });

  test.each([
    ['allow', []],
    ['warn', ['warning unresolved']],
    ['fail', ['error unresolved']],
  ] as const)('returns an unresolved source once under %s', (unresolvedPolicy, expected) => {
    const report = reportOfRun(reportOf([row('a', unresolved)], { unresolvedPolicy }));
    expect(told(report.findings)).toEqual(expected);
  });

  test('returns each fixture with the id of its run, and sends a reader to the fixture', () => {
    const { findings, subjects } = reportOfRun(MIXED);
    expect(subjects.map(({ run }) => run)).toEqual(
      MIXED.rows.map(({ result }) => (result.kind === 'judged' ? result.invocationId : null)),
    );
    for (const { place, fixture } of findings) expect(place).toEqual({ file: fixture, line: null, column: null });
  });

  test('returns the conclusion that the run has', () => {
    expect(JSON.parse(renderReportJson(reportOfRun(reportOf([row('a.json')]))))).toMatchObject({ exit_code: 0 });
    expect(JSON.parse(renderReportJson(reportOfRun(MIXED)))).toMatchObject({ exit_code: 1 });
    expect(JSON.parse(renderReportJson(reportOfRun(reportOf([]))))).toMatchObject({ exit_code: 2 });
  });
});

test('reportOfLint and reportOfVerify return the place of a violation, or the envelope', () => {
  const lint = reportOfLint(WITHHELD.grounding, 'e.json');
  expect(lint.findings.map(({ place }) => place)).toEqual([
    { file: 'e.json', line: null, column: null },
    { file: 'envelope.json', line: 3, column: 7 },
  ]);
  const verify = reportOfVerify(WITHHELD.sources, { file: 'e.json', unresolved: 'warn', notices: ['n'] });
  expect(told(verify.findings)).toEqual(['error S1', 'warning unresolved']);
  expect([exitCodeOf(lint.conclusion), exitCodeOf(verify.conclusion)]).toEqual([1, 1]);
});

test('reportOfArchive returns every state, and places below the runs folder', () => {
  const report = reportOfArchive(ARCHIVE, { runsFolder: 'agents/runs', unresolved: 'warn', notices: [] });
  expect(told(report.findings)).toEqual([
    'error tampered',
    'error unreadable',
    'error G2',
    'error G3',
    'error S1',
    'warning unresolved',
    'warning drift',
    'note G2',
    'note G3',
  ]);
  expect(report.findings.find(({ rule }) => rule === 'G2')?.place).toEqual({
    file: 'agents/runs/0193b0f0-0000-7000-8000-000000000002/envelope.json',
    line: 12,
    column: 9,
  });
  const good = ARCHIVE.filter(({ state }) => state === 'passed' || state === 'withheld');
  const facts = { runsFolder: 'runs', unresolved: 'warn', notices: [] } as const;
  expect(exitCodeOf(reportOfArchive(good, facts).conclusion)).toBe(0);
  expect(exitCodeOf(report.conclusion)).toBe(1);
});

test('every rule and fault has a page with a title, a reason and a way to mend it', () => {
  const ids = [...GROUNDING_RULES, ...SOURCE_RULES, ...GATE_FAULTS];
  expect(
    findingPages()
      .map(({ id }) => id)
      .sort(),
  ).toEqual([...ids].sort());
  for (const id of ids)
    expect(findingPage(id)).toEqual({
      id,
      title: expect.stringMatching(/[^.]$/),
      why: expect.stringMatching(/\.$/),
      mend: expect.stringMatching(/\.$/),
    });
});

test('the schema of report.json knows every rule, fault, level and state', () => {
  const { findings, results } = schemaOf('report').properties;
  const { rule, level } = findings.items.properties;
  expect([...rule.enum].sort()).toEqual(
    findingPages()
      .map(({ id }) => id)
      .sort(),
  );
  expect(level.enum).toEqual(FINDING_LEVELS);
  expect([...results.items.properties.state.enum].sort()).toEqual(
    ['as-expected', 'unexpected', 'not-judged', ...RUN_STATES].sort(),
  );
});

const facts = (more: Partial<FindingFacts> = {}): FindingFacts => ({
  rule: 'G2',
  level: 'error',
  message: 'm',
  place: { file: 'f', line: 1, column: 1 },
  ...more,
});

describe('fingerprints', () => {
  const same: readonly (readonly [what: string, a: Partial<FindingFacts>, b: Partial<FindingFacts>])[] = [
    ['line', {}, { place: { file: 'f', line: 9, column: 9 } }],
    ['run', { run: 'a' }, { run: 'b' }],
    ['span', { spanId: 'a' }, { spanId: 'b' }],
    ['hash', { sourceId: 's', contentHash: 'a' }, { sourceId: 's', contentHash: 'b' }],
    [
      'invocation id in a source',
      { sourceId: 'input:0193b0f0-0000-7000-8000-000000000001' },
      { sourceId: 'input:0193b0f0-0000-7000-8000-000000000002' },
    ],
    ['digest in a message', { message: `m ${'a'.repeat(64)}` }, { message: `m ${'b'.repeat(64)}` }],
    ['repeat', { message: 'run 1: m' }, { message: 'run 12: m' }],
    ['level', {}, { level: 'warning' }],
  ];
  test.each(same)('stay when the %s differs', (_what, a, b) => {
    expect(makeFinding(facts(a)).fingerprint).toBe(makeFinding(facts(b)).fingerprint);
  });

  const other: readonly (readonly [what: string, a: Partial<FindingFacts>, b: Partial<FindingFacts>])[] = [
    ['rule', {}, { rule: 'G3' }],
    ['fixture', { fixture: 'a' }, { fixture: 'b' }],
    ['file', {}, { place: { file: 'g', line: 1, column: 1 } }],
    ['source', { sourceId: 'a' }, { sourceId: 'b' }],
    ['pointer', { pointer: '/a' }, { pointer: '/b' }],
    ['message', { message: 'a' }, { message: 'b' }],
  ];
  test.each(other)('change with the %s', (_what, a, b) => {
    expect(makeFinding(facts(a)).fingerprint).not.toBe(makeFinding(facts(b)).fingerprint);
  });

  test('are told apart in SARIF when two findings share one', () => {
    const report = { ...reportOfRun(MIXED), findings: [makeFinding(facts()), makeFinding(facts({ run: 'b' }))] };
    const results: { partialFingerprints: Record<string, string> }[] = JSON.parse(renderSarif(report)).runs[0].results;
    expect(new Set(results.map((one) => one.partialFingerprints['groundingGate/v1'])).size).toBe(2);
  });
});

test('inOrder returns one order, whatever the order was', () => {
  const findings = reportOfArchive(ARCHIVE, { runsFolder: 'r', unresolved: 'warn', notices: [] }).findings;
  expect(inOrder([...findings].reverse())).toEqual(findings);
});

test('renderSarif returns five thousand results of more, and says so', () => {
  const findings = Array.from({ length: 5_001 }, (_, at) => makeFinding(facts({ message: `m${at}` })));
  const [run] = JSON.parse(renderSarif({ ...reportOfRun(MIXED), findings })).runs;
  expect(run.results).toHaveLength(5_000);
  expect(run.invocations[0].toolExecutionNotifications.at(-1).message.text).toMatch(/5000 of 5001/);
});
