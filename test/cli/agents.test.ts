import { expect, test } from 'vitest';
import { grounding } from './grounding.js';
import { fixtureFor, PRINCIPAL, workshop } from './workshop.js';

test('lists what every registered agent declares', async () => {
  const ended = await grounding(['agents'], { cwd: workshop() });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toMatch(/^test\.honest +1\.0\.0 +input_only +note +Note +Noted$/m);
});

test('returns the same as JSON, with the digest of each schema', async () => {
  const ended = await grounding(['agents', '--format', 'json'], { cwd: workshop() });
  const [first] = JSON.parse(ended.stdout).agents;
  expect(first).toMatchObject({ agent_id: 'test.honest', grounding_mode: 'input_only', payload: 'Noted' });
  expect(first.schemas.Note).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['there is none', { 'agents.yaml': 'agents: []\n' }, 'agents-none'],
  [
    'two have one id',
    { 'agents.yaml': 'agents: [{ module: honest.mjs }, { module: honest.mjs }]\n' },
    'agent-duplicate',
  ],
  ['one exports none', { 'honest.mjs': 'export const one = 1;\n' }, 'agent-module'],
  ['one throws when it is loaded', { 'honest.mjs': "throw new Error('\\u001b[31mno');\n" }, 'agent-module'],
  [
    'one wants a variable that is not set',
    { 'agents.yaml': 'agents: [{ module: honest.mjs, env: [NOT_SET] }]\n' },
    'agent-environment',
  ],
])('returns 2 on one line when %s', async (_what, files, code) => {
  const ended = await grounding(['agents'], { cwd: workshop(files) });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toMatch(new RegExp(`^error: agents\\.yaml:[^\n\u001b]+ \\[${code}\\]\n$`));
});

test('shows the end of the log of a service that did not come up, and where the log is', async () => {
  const service = '  - {url: "http://127.0.0.1:9", name: far, start: "echo no module named x; exit 1"}\n';
  const alone = workshop({ 'agents.yaml': `agents:\n${service}` });
  const refused = await grounding(['agents'], { cwd: alone });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  const beside = workshop({ 'agents.yaml': `agents:\n  - module: honest.mjs\n${service}` });
  const listed = await grounding(['agents'], { cwd: beside });
  expect(listed.code).toBe(0);
  const run = await grounding(['run'], { cwd: beside, env: PRINCIPAL });
  for (const text of [refused.stderr, listed.stdout, run.stdout]) {
    expect(text).toContain('agent-logs/far.log');
    expect(text).toContain('no module named x');
  }
});

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  ['is not where agents.yaml says', { 'agents.yaml': 'agents:\n  - module: honst.mjs\n' }, /check the path/],
  ['imports a package that is missing', { 'honest.mjs': "import 'no-such-package-here';\n" }, /install what/],
  [
    'imports this package where it is missing',
    { 'honest.mjs': "import 'grounding-gate';\n" },
    /install grounding-gate/,
  ],
  ['is no JavaScript', { 'honest.mjs': 'export default {{;\n' }, /node --check honest\.mjs/],
])('says what to do when a module %s', async (_what, files, remedy) => {
  const ended = await grounding(['agents'], { cwd: workshop(files) });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(/^error: agents\.yaml:2:5: .*\[agent-module\]\n$/);
  expect(ended.stderr).toMatch(remedy);
});

test('says in which line of its module an agent threw, without the folder', async () => {
  const folder = workshop({ 'fixtures/honest.json': fixtureFor('throws') });
  const ended = await grounding(['run'], { cwd: folder, env: PRINCIPAL });
  expect(ended.stdout).toMatch(/Error: no \(throws\.mjs:\d+:\d+\)/);
});
