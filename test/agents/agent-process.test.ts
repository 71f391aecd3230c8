import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isRunning } from './is-running.js';

const root = join(import.meta.dirname, '..', '..');
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gg-lifeline-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  await build({
    entryPoints: {
      parent: join(root, 'core/io/agent-process.ts'),
      'agent-host': join(root, 'core/io/agent-host.ts'),
    },
    absWorkingDir: root,
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
    logLevel: 'error',
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(['loops-at-import.js', 'hostile.js'])('ends the process of %s when its parent is killed', async (module) => {
  const script = `
    import { startAgentProcess } from ${JSON.stringify(join(folder, 'parent.js'))};
    import { readdirSync, readFileSync } from 'node:fs';
    const agent = startAgentProcess({ module: ${JSON.stringify(join(import.meta.dirname, 'modules', module))}, environment: new Map() });
    if (${module === 'hostile.js'}) await agent.greeting();
    else await new Promise((resolve) => setTimeout(resolve, 1000));
    const child = readdirSync('/proc').find((pid) => /^\\d+$/.test(pid) && parentOf(pid) === String(process.pid));
    console.log(child);
    setInterval(() => {}, 1000);
    function parentOf(pid) {
      try { return readFileSync('/proc/' + pid + '/stat', 'utf8').replace(/^.*\\) . /s, '').split(' ')[0]; } catch { return ''; }
    }
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) =>
    parent.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())),
  );
  const pid = Number(line);
  expect(isRunning(pid)).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => isRunning(pid), { timeout: 5_000 }).toBe(false);
});

it('keeps what the agent prints away from the standard output and error of its parent', async () => {
  const call = {
    id: 1,
    request: { invocation_id: 'x', input: { schema_class: 'Question' } },
    input_ref: 'input:x',
    input_hash: 'x',
  };
  const line = JSON.stringify({ ...call, traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' });
  const script = `
    import { startAgentProcess } from ${JSON.stringify(join(folder, 'parent.js'))};
    const agent = startAgentProcess({ module: ${JSON.stringify(join(import.meta.dirname, 'modules', 'hostile.js'))}, environment: new Map() });
    await agent.greeting();
    const answer = JSON.parse(Buffer.from(await agent.exchange(Buffer.from(${JSON.stringify(line)}))).toString());
    await new Promise((resolve) => setTimeout(resolve, 200));
    agent.kill();
    console.log(answer.answer.result.outcome.status);
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  parent.stdout.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString()));
  parent.stderr.on('data', (chunk: Buffer) => (printed.stderr += chunk.toString()));
  const code = await new Promise((resolve) => parent.once('close', resolve));
  expect({ code, ...printed }).toEqual({ code: 0, stdout: 'abstained\n', stderr: '' });
});
