import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { junitFaults, sarifFaults, schemaFaults } from '../report/published.js';
import { htmlOf, pageOf } from '../report/read-html.js';
import { grounding, ROOT } from './grounding.js';
import { fixtureFor, PRINCIPAL, workshop } from './workshop.js';

const VECTORS = join(ROOT, 'test/vectors/stored-runs');

/** A stored run that broke rules, by the vectors' own table. */
const broken: { readonly run: string } = readFileSync(join(VECTORS, 'expected.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))
  .find((row) => row.grounding?.rules.includes('G2'));

const reportFaults = schemaFaults('report');

/** What each format must be, whatever it tells. */
async function expectWhole(format: string, text: string): Promise<void> {
  if (format === 'sarif') expect(sarifFaults(JSON.parse(text))).toEqual([]);
  if (format === 'junit') expect(await junitFaults(text)).toEqual([]);
  if (format === 'markdown') {
    expect(text).toMatch(/^## grounding [a-z]+: /);
    expect(pageOf(htmlOf(text)).elements).toContain('table');
  }
}

const SHARED = ['markdown', 'junit', 'sarif'] as const;

describe.each(SHARED)('--format %s', (format) => {
  test('tells of a run whose fixture is not met, with code 1', async () => {
    const folder = workshop({ 'fixtures/miscites.json': fixtureFor('miscites') });
    const ended = await grounding(['run', '--format', format], { cwd: folder, env: PRINCIPAL });
    expect(ended.code).toBe(1);
    await expectWhole(format, ended.stdout);
    expect(ended.stdout).toContain('fixtures/miscites.json');
    if (format === 'markdown') expect(ended.stdout).toContain('```mermaid\ngantt\n');
    expect(ended.stdout).toContain('R2');
  });

  test('tells of a stored run that breaks a rule, with code 1', async () => {
    const files = ['spans.jsonl', 'envelope.json'].map((name) => join('runs', broken.run, name));
    const ended = await grounding(['lint', ...files, '--format', format], { cwd: VECTORS });
    expect(ended).toMatchObject({ code: 1, stderr: '' });
    await expectWhole(format, ended.stdout);
    expect(ended.stdout).toContain('G2');
  });

  test('tells of an envelope, into a file', async () => {
    const folder = workshop();
    const ran = await grounding(['run', '--format', 'json'], { cwd: folder, env: PRINCIPAL });
    const report = JSON.parse(ran.stdout);
    expect(reportFaults(report)).toEqual([]);
    expect(report).toMatchObject({ conclusion: 'passed', findings: [] });
    const envelope = join('runs', report.results[0].invocation_id, 'envelope.json');
    const ended = await grounding(['verify', envelope, '--format', format, '--output', 'out'], { cwd: folder });
    expect(ended).toMatchObject({ code: 0, stdout: '' });
    await expectWhole(format, readFileSync(join(folder, 'out'), 'utf8'));
  });
});

test('refuses a format that there is none of, with code 2', async () => {
  const ended = await grounding(['run', '--format', 'html']);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
});
