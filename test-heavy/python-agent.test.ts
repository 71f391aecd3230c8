import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const CLI = join(ROOT, 'build', 'cli.js');
const home = mkdtempSync(join(tmpdir(), 'grounding-python-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
}

function grounding(...args: readonly string[]) {
  return spawnSync(process.execPath, [CLI, ...args], {
    cwd: home,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], DD_PRINCIPAL_ID: 'mailto:test@example.org', DD_PRINCIPAL_NAME: 'Test' },
  });
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

test('judges the Python example, whose record is verified and whose missing record makes it abstain', async () => {
  const page = readFileSync(join(ROOT, 'docs', 'python.md'), 'utf8');
  const registration = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const port = String(await freePort());
  cpSync(join(ROOT, 'examples', 'python', 'finder.py'), join(home, 'finder.py'));
  write({
    'agents.yaml': registration.replaceAll('9107', port),
    'profiles/default.yaml': 'profile_id: default\nversion: 1\nagents: {example.pyfinder: recommend}\n',
    'records.jsonl': '{"id": "rec:1", "title": "Tidal data at Cuxhaven", "height_m": 1.5}\n',
    'fixtures/found.json': '{"agent_id": "example.pyfinder", "input": {"schema_class": "Question", "record": "rec:1"}}',
    'fixtures/found.expect.yaml': 'status: succeeded\nverified: 1\nunresolved: 0\n',
    'fixtures/missing.json': '{"agent_id": "example.pyfinder", "input": {"schema_class": "Question", "record": "x"}}',
    'fixtures/missing.expect.yaml': 'status: abstained\nreason_code: no_qualifying_resource\n',
    'fixtures/wrong.json': '{"agent_id": "example.pyfinder", "input": {"schema_class": "Question", "record": 1}}',
    'fixtures/wrong.expect.yaml': 'status: failed\nproblem: input-not-accepted\n',
  });
  expect(grounding('pin', 'records.jsonl', '--ref', 'records-1', '--id-field', 'id').status).toBe(0);
  const { status, stdout, stderr } = grounding('run');
  expect(`${stdout}${stderr}`).toContain('3 as expected');
  expect(status).toBe(0);
});
