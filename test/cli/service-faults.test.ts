import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { messageBody, newInvocationId, post } from '../interop/reference/workbench.js';
import { grounding, ROOT } from './grounding.js';
import { start } from './serving.js';
import { PRINCIPAL } from './workshop.js';

const AGENT = join(ROOT, 'bench/services/agent.mjs');
const RUN_FILES = ['crate', 'envelope.json', 'grounding.txt', 'request.json', 'sources.txt', 'spans.jsonl'];

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'grounding-faults-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder for `grounding serve` with one service agent; the runs may be kept elsewhere. */
function workshop(url: string): string {
  const folder = temporary();
  mkdirSync(join(folder, 'profiles'));
  writeFileSync(join(folder, 'agents.yaml'), `agents: [{url: "${url}", timeout_s: 10}]\n`);
  writeFileSync(join(folder, 'sources.yaml'), 'sources: []\n');
  writeFileSync(join(folder, 'profiles/default.yaml'), 'profile_id: t\nversion: 1\nagents: {bench.sleeper: wait}\n');
  return folder;
}

async function startAgent() {
  const agent = await start(['serve-agent', AGENT], { cwd: ROOT });
  onTestFinished(async () => void (await agent.stop('SIGKILL')));
  return agent;
}

async function startServe(cwd: string, args: readonly string[] = []) {
  const serve = await start(['serve', ...args], { cwd, env: PRINCIPAL });
  onTestFinished(async () => void (await serve.stop('SIGKILL')));
  return serve;
}

/** Asks for a run; resolves with the text of the answer, or with null when the connection broke. */
async function ask(url: string, id = newInvocationId()): Promise<string | null> {
  const request = {
    invocation_id: id,
    agent_id: 'bench.sleeper',
    issued_at: '2026-09-30T10:00:00Z',
    input: { schema_class: 'Message', message_text: 'wait' },
  };
  return post(url, messageBody(request, {})).then(
    ({ body }) => body,
    () => null,
  );
}

/** The ids of the runs, each whole and listed once with the envelope that its folder holds; fails for anything in between. */
function wholeRuns(runs: string): string[] {
  const folders = readdirSync(runs).filter((name) => name.length === 36);
  const file = join(runs, 'invocations.jsonl');
  const index = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = index.split('\n').filter((line) => line !== '');
  expect(index === '' || index.endsWith('\n')).toBe(true);
  const listed = lines.map((line) => JSON.parse(line) as { invocation_id: string });
  expect(listed.map(({ invocation_id }) => invocation_id).sort()).toEqual(folders.sort());
  for (const line of listed) {
    const folder = join(runs, line.invocation_id);
    expect(readdirSync(folder).sort()).toEqual(RUN_FILES);
    expect(JSON.parse(readFileSync(join(folder, 'envelope.json'), 'utf8'))).toEqual(line);
  }
  return folders;
}

describe('grounding serve', () => {
  it('ends runs in an envelope when the service is killed in the midst of them', async () => {
    const agent = await startAgent();
    const cwd = workshop(agent.url);
    const serve = await startServe(cwd);
    const answers = Promise.all(Array.from({ length: 10 }, () => ask(serve.url)));
    await sleep(40);
    process.kill(agent.pid, 'SIGKILL');
    for (const answer of await answers) expect(answer).toContain('envelope-json');
    const after = await ask(serve.url);
    expect(after).toMatch(/agent-error/);
    expect(wholeRuns(join(cwd, 'runs'))).toHaveLength(11);
  });

  it('leaves whole runs or none when it is killed in the midst of them', async () => {
    const agent = await startAgent();
    const cwd = workshop(agent.url);
    let answered = 0;
    // Killed before anything was stored, and in the midst of storing: other runs are being written when the n-th answer comes.
    for (const after of [0, 1, 2, 5, 9, 14]) {
      const serve = await startServe(cwd);
      let ended = 0;
      const asked = Array.from({ length: 20 }, async () => {
        const answer = await ask(serve.url);
        if (answer?.includes('envelope-json') !== true) return;
        answered += 1;
        if (++ended === after) process.kill(serve.pid, 'SIGKILL');
      });
      if (after === 0) {
        await sleep(60);
        process.kill(serve.pid, 'SIGKILL');
      }
      await Promise.all(asked);
    }
    // The next start repairs: that is when the folder has to be sound.
    await (await startServe(cwd)).stop();
    const whole = wholeRuns(join(cwd, 'runs'));
    expect(whole.length).toBeGreaterThanOrEqual(answered);
    expect(whole.length).toBeGreaterThan(0);
    expect(
      readdirSync(join(cwd, 'runs')).filter((name) => !/^(invocations\.jsonl|schemas|[0-9a-f-]{36})$/.test(name)),
    ).toEqual([]);
    for (const id of whole.slice(0, 5)) {
      const run = join('runs', id);
      const judged = await grounding(['lint', join(run, 'spans.jsonl'), join(run, 'envelope.json')], { cwd });
      expect(judged).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it('ends runs in an envelope or a refusal when the disk is full, and goes on when there is space again', async ({
    skip,
  }) => {
    const disk = temporary();
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'pipe' });
    } catch (error) {
      console.log(`no tmpfs could be mounted, so that no disk can be filled: ${String(error)}`);
      return skip('no tmpfs could be mounted');
    }
    onTestFinished(() => void execFileSync('umount', ['-l', disk], { stdio: 'pipe' }));
    const agent = await startAgent();
    const runs = join(disk, 'runs');
    const serve = await startServe(workshop(agent.url), ['--runs', runs]);
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(900 * 1024));
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(serve.url)));
    const kept = answers.filter((answer) => answer?.includes('envelope-json')).length;
    expect(answers.filter((answer) => answer?.includes('store-full'))).toHaveLength(40 - kept);
    expect(kept).toBeLessThan(40);
    expect(wholeRuns(runs)).toHaveLength(kept);
    rmSync(ballast);
    expect(await ask(serve.url)).toContain('envelope-json');
    expect(wholeRuns(runs)).toHaveLength(kept + 1);
    await serve.stop();
  });
});
