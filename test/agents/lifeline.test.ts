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
