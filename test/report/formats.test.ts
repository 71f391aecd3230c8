import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { annotationsOf } from '../../core/report/annotations.js';
import { compareReports } from '../../core/report/compare.js';
import type { TimedSpan } from '../../core/report/gantt.js';
import type { GateReport } from '../../core/report/gate-report.js';
import { renderJunit } from '../../core/report/junit.js';
import { renderLogCommands } from '../../core/report/log-commands.js';
import { renderMarkdown, SUMMARY_BUDGET } from '../../core/report/markdown.js';
import { renderReportJson } from '../../core/report/report-json.js';
import { reportOfArchive } from '../../core/report/report-of-archive.js';
import { reportOfLint, reportOfVerify } from '../../core/report/report-of-envelope.js';
import { reportOfRun } from '../../core/report/report-of-run.js';
import { renderSarif } from '../../core/report/sarif.js';
import { MIXED, PASSED, reportOf, row, WITHHELD } from './make-report.js';
import { junitFaults, sarifFaults, schemaFaults } from './published.js';
import { ARCHIVE } from './stored-verdicts.js';

const THROWS = row('fixtures/quality/throws.json', {
  ...PASSED,
  invocationId: '0193b0f0-0000-7000-8000-000000000003',
  outcome: { status: 'failed', reasonCode: null, problem: 'agent-error', statement: 'The agent failed:\nno model' },
  differences: ['run 1: failed (agent-error), and succeeded is expected'],
});

const RUN = reportOfRun(reportOf([...MIXED.rows, THROWS], { notices: MIXED.notices }));

const span = (more: Partial<TimedSpan> & Pick<TimedSpan, 'spanId' | 'role'>, from: number, to: number): TimedSpan => ({
  name: more.role === 'root' ? 'invoke_agent' : more.role,
  parentId: '00000000000000a1',
  start: BigInt(from) * 1_000n,
  end: BigInt(to) * 1_000n,
  failed: false,
  facts: {},
  ...more,
});

const TRACE: readonly TimedSpan[] = [
  span({ spanId: '00000000000000a1', role: 'root', parentId: null }, 0, 1_234_500),
  span({ spanId: '00000000000000a2', role: 'retrieval', facts: { sourceId: 'doi:10.1234/minseqe' } }, 20_000, 310_000),
  span({ spanId: '00000000000000a3', role: 'other', name: 'rank' }, 320_000, 420_000),
  span(
    {
      spanId: '00000000000000a4',
      role: 'retrieval',
      parentId: '00000000000000a3',
      failed: true,
      facts: { sourceId: 'src:b' },
    },
    330_000,
    350_000,
  ),
  span({ spanId: '00000000000000a5', role: 'chat' }, 430_000, 1_200_000),
];

/** What the run before this one found: one fault that is gone, and one that stays. */
const EARLIER = renderReportJson(
  reportOfRun(
    reportOf([
      row('fixtures/standards/unexpected.json', { ...WITHHELD, differences: ['run 1: ended otherwise'] }),
      row('fixtures/standards/gone.json', { kind: 'unjudged', reason: 'no agent example.gone is registered' }),
    ]),
  ),
);

const MARKDOWN = renderMarkdown(RUN, {
  budget: SUMMARY_BUDGET,
  name: 'grounding gate',
  marker: { checkName: 'grounding gate', headSha: '0123456789'.repeat(4), runId: '4242', attempt: 1 },
  comparison: compareReports(Buffer.from(EARLIER), RUN),
  traces: new Map([[WITHHELD.invocationId, TRACE]]),
});

const LINT = reportOfLint(WITHHELD.grounding, 'runs/a/envelope.json');
const VERIFY = reportOfVerify(WITHHELD.sources, { file: 'runs/a/envelope.json', unresolved: 'warn', notices: [] });
const STORED = reportOfArchive(ARCHIVE, { runsFolder: 'runs', unresolved: 'warn', notices: [] });
const EVERY: readonly (readonly [name: string, report: GateReport])[] = [
  ['run', RUN],
  ['lint', LINT],
  ['verify', VERIFY],
  ['reverify', STORED],
];

test('returns the golden Markdown for a run with a baseline and traces', async () => {
  await expect(MARKDOWN).toMatchFileSnapshot('golden/run.md');
});

test.each(EVERY)('returns the golden documents of %s', async (name, report) => {
  if (name !== 'run')
    await expect(renderMarkdown(report, { budget: SUMMARY_BUDGET })).toMatchFileSnapshot(`golden/${name}.md`);
  await expect(renderReportJson(report)).toMatchFileSnapshot(`golden/${name}.json`);
  await expect(renderJunit(report)).toMatchFileSnapshot(`golden/${name}.xml`);
  await expect(renderSarif(report)).toMatchFileSnapshot(`golden/${name}.sarif`);
  await expect(renderLogCommands(annotationsOf(report.findings).annotations)).toMatchFileSnapshot(`golden/${name}.log`);
});

const reportFaults = schemaFaults('report');

test.each(EVERY)('returns documents of %s that their schemas accept', async (_name, report) => {
  expect(sarifFaults(JSON.parse(renderSarif(report)))).toEqual([]);
  expect(reportFaults(JSON.parse(renderReportJson(report)))).toEqual([]);
  expect(await junitFaults(renderJunit(report))).toEqual([]);
});

test('finds fault with documents that break the published schemas', async () => {
  expect(sarifFaults({ version: '2.1.0' })).not.toEqual([]);
  expect(reportFaults({})).not.toEqual([]);
  expect(await junitFaults('<testsuites><testcase/></testsuites>')).not.toEqual([]);
  expect(await junitFaults('<testsuites>\u0001</testsuites>')).not.toEqual([]);
});

test('the published schemas are the ones that docs/decisions names', () => {
  const page = readFileSync(new URL('../../docs/decisions/report-formats.md', import.meta.url), 'utf8');
  for (const name of ['sarif-2.1.0-rtm.5.json', 'jenkins-junit.xsd']) {
    const bytes = readFileSync(new URL(`published/${name}`, import.meta.url));
    const row = page.split('\n').find((line) => line.includes(name));
    expect(row).toContain(createHash('sha256').update(bytes).digest('hex'));
  }
});
