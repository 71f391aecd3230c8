import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/count-tests.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'count-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NONE = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };

test.each([
  ['passed and failed tests', { ...NONE, numPassedTests: 5, numFailedTests: 2 }, '5 2'],
  [
    'a skipped and a planned test as failed',
    { ...NONE, numPassedTests: 5, numPendingTests: 1, numTodoTests: 1 },
    '5 2',
  ],
  [
    'a file that did not load as failed',
    { ...NONE, numPassedTests: 5, testResults: [{ status: 'failed', assertionResults: [] }] },
    '5 1',
  ],
])('counts %s', (_what, report, counts) => {
  const file = join(folder, 'report.json');
  writeFileSync(file, JSON.stringify(report));
  expect(execFileSync(process.execPath, [script, file], { encoding: 'utf8' })).toBe(`${counts}\n`);
});

test('counts a missing report as failed', () => {
  expect(execFileSync(process.execPath, [script, join(folder, 'none.json')], { encoding: 'utf8' })).toBe('0 1\n');
});
