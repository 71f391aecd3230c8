import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkWorkflow } from '../../core/doctor/index.js';
import { PULL_REQUEST_WORKFLOW } from '../../core/init/index.js';

const EXAMPLES = fileURLToPath(new URL('../../.github/workflows/examples', import.meta.url));

const look = (text: string) => checkWorkflow(Buffer.from(text), { file: 'w.yml' });
const found = (text: string): readonly string[] => look(text).findings.map(({ check, line }) => `${check}:${line}`);

/** The workflow that init writes, without its comments, changed in one way. */
function changed(from: string | RegExp, to: string): string {
  const plain = PULL_REQUEST_WORKFLOW.replaceAll(/^ *#.*\n/gm, '');
  const text = plain.replace(from, to);
  expect(text).not.toBe(plain);
  return text;
}

test('finds nothing in any workflow that we give away, and the gate in those that run it', () => {
  const names = readdirSync(EXAMPLES);
  expect(names.length).toBeGreaterThan(2);
  for (const name of names) expect(found(readFileSync(join(EXAMPLES, name), 'utf8'))).toEqual([]);
  expect(look(PULL_REQUEST_WORKFLOW).runsGate).toBe(true);
  expect(look('on: push\njobs: {a: {steps: [{run: ls}]}}\n')).toEqual({ runsGate: false, findings: [], inputs: [] });
});

test('is what init writes, to the byte', () => {
  expect(PULL_REQUEST_WORKFLOW).toBe(readFileSync(join(EXAMPLES, 'grounding-pull-request.yml'), 'utf8'));
});

const USES = 'uses: data-director/grounding-gate@v0';

test.each<[string, string, string]>([
  ['there are no permissions', changed(/permissions:\n( {2}.*\n)+/, ''), 'workflow-permissions'],
  ['the token may not make a check', changed('  checks: write\n', ''), 'workflow-permissions'],
  ['the token may not comment', changed('pull-requests: write', 'pull-requests: read'), 'workflow-permissions'],
  ['the token may only read', changed(/permissions:\n( {2}.*\n)+/, 'permissions: read-all\n'), 'workflow-permissions'],
  ['the job takes rights away', changed('    runs-on', '    permissions: {}\n    runs-on'), 'workflow-permissions'],
  ['the checkout is shallow', changed('          fetch-depth: 0\n', ''), 'workflow-shallow'],
  ['the checkout has a depth', changed('fetch-depth: 0', 'fetch-depth: 2'), 'workflow-shallow'],
  ['nothing is checked out', changed(/ {6}- uses: actions\/checkout@v5\n( {8,}.*\n)+/, ''), 'workflow-checkout'],
  ['the gate comes from a branch', changed('gate@v0', 'gate@main'), 'workflow-unpinned'],
  ['the gate has no version', changed('gate@v0', 'gate'), 'workflow-unpinned'],
  ['a failure of the step is ignored', changed(USES, `${USES}\n        continue-on-error: true`), 'workflow-ignored'],
  [
    'a failure of the job is ignored',
    changed('    runs-on', '    continue-on-error: true\n    runs-on'),
    'workflow-ignored',
  ],
  ['it runs on pull_request_target', changed('pull_request:', 'pull_request_target:'), 'workflow-target'],
  ['it is no YAML', 'on: [', 'yaml-syntax'],
])('finds that %s', (_what, text, check) => {
  const checks = found(text).map((one) => one.split(':')[0]);
  expect(checks).toEqual([check]);
  for (const { remedy, line } of look(text).findings) {
    expect(remedy.length).toBeGreaterThan(5);
    expect(line).toEqual(expect.any(Number));
  }
});

test("finds a pull request's head on pull_request_target, whether the gate runs there or not", () => {
  const text = `on: { pull_request_target: {} }
jobs:
  a:
    steps:
      - uses: actions/checkout@v5
        with: { ref: "\${{ github.event.pull_request.head.sha }}" }
`;
  expect(found(text)).toEqual(['workflow-target:5']);
  expect(found(text.replace('.head.sha', '.base.sha'))).toEqual([]);
});

test('takes a version, a commit, our own action, and rights of any kind', () => {
  const commit = 'ab'.repeat(20);
  for (const uses of [`data-director/grounding-gate@${commit}`, 'x/grounding-gate@v1.2.3', './grounding-gate'])
    expect(found(changed(USES, `uses: ${uses}`))).toEqual([]);
  expect(found(changed(/permissions:\n( {2}.*\n)+/, 'permissions: write-all\n'))).toEqual([]);
});

test('gives the paths that the gate is handed, where they start and where they stand', () => {
  const text = changed(
    USES,
    `${USES}\n        with:\n          working-directory: sub\n          fixtures: |\n            a\n            b.json\n          profile: \${{ inputs.profile }}`,
  );
  expect(look(text).inputs.map(({ name, value, folder }) => [name, value, folder])).toEqual([
    ['fixtures', 'a', 'sub'],
    ['fixtures', 'b.json', 'sub'],
  ]);
});

test('ends on a workflow whose parts are of other kinds than they should be', () => {
  for (const text of [
    '1',
    '[]',
    'on: 1\njobs: 2',
    'jobs: {a: 1, b: {steps: {}}, c: {steps: [1, {uses: []}]}}',
    'on: [[a]]',
  ])
    expect(look(text).runsGate).toBe(false);
});
