import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { parseAgentsConfig } from '../../../core/agents/parse-agents-config.js';
import { openAgents } from '../../../core/agents/registry.js';
import { unavailableText } from '../../../core/agents/unavailable-text.js';
import { startAgentProcess } from '../../../core/io/agent-process.js';
import { httpClient } from '../../../core/io/http-client.js';
import { ServiceLog } from '../../../core/io/service-log.js';
import { serviceStarter } from '../../../core/io/service-process.js';
import { composeJson, parseJson } from '../../../core/json/index.js';
import { callOf } from '../call.js';
import { isRunning } from '../is-running.js';

const ROOT = join(import.meta.dirname, '../../..');
const CLI = join(ROOT, 'build/cli.js');
const MODULE = join(ROOT, 'test/agents/modules/served.js');

const undo: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'grounding-start-'));
  undo.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

async function open(entry: { port: number; start: string; timeoutS?: number; env?: string[]; cwd?: string }) {
  const place = folder();
  const lines = [
    `agents:`,
    `  - url: "http://127.0.0.1:${entry.port}"`,
    `    name: served one`,
    `    start: ${JSON.stringify(entry.start)}`,
    `    timeout_s: ${entry.timeoutS ?? 20}`,
    ...(entry.env === undefined ? [] : [`    env: [${entry.env.join(', ')}]`]),
  ];
  const registry = await openAgents(
    parseAgentsConfig(Buffer.from(lines.join('\n')), { file: join(place, 'agents.yaml') }),
    {
      start: startAgentProcess,
      http: httpClient,
      services: serviceStarter({ logs: join(place, 'agent-logs') }),
      environment: new Map(
        Object.entries({
          PATH: process.env['PATH'] ?? '',
          GITHUB_TOKEN: 'gh',
          DD_RUNS_DIR: 'r',
          WANTED: 'w',
          UNWANTED: 'u',
        }),
      ),
    },
  );
  undo.push(() => registry.close());
  const log = join(place, 'agent-logs', 'served-one.log');
  return { registry, place, log: () => (existsSync(log) ? readFileSync(log, 'utf8') : '') };
}

const serve = (port: number, before = ''): string =>
  `${before}exec ${process.execPath} ${CLI} serve-agent ${MODULE} --port ${port}`;

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await check()) return;
    await sleep(50);
  }
  throw new Error('it did not come to pass within 10 s');
}

/** A call to the agent that is served. */
function callFor() {
  const call = callOf({ schema_class: 'Act', act: 'read' });
  const request = { ...Object.fromEntries(call.request.entries()), agent_id: 'test.served' };
  return { ...call, request: parseJson(composeJson(request), { file: '<request>' }) };
}

const pidIn = (log: string): number => Number(/pid=(\d+)/.exec(log)?.[1] ?? Number.NaN);

describe('a service that agents.yaml starts', () => {
  it('is called, keeps what it prints beside the runs, gets the clean environment, and ends with the registry', async () => {
    const port = await freePort();
    const { registry, log, place } = await open({ port, start: serve(port, 'env; echo pid=$$; '), env: ['WANTED'] });
    const agent = registry.agents.get('test.served');
    const reply = await agent?.invoke(callFor());
    expect(reply?.result.get('outcome')?.get('status')?.string()).toBe('succeeded');
    const names = log()
      .split('\n')
      .flatMap((line) => /^([A-Za-z_]+)=/.exec(line)?.[1] ?? []);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'WANTED']));
    expect(names.filter((name) => /^(GITHUB|DD|ACTIONS|INPUT|UNWANTED)/.test(name))).toEqual([]);
    expect(readdirSync(place)).toEqual(['agent-logs']);
    const pid = pidIn(log());
    expect(isRunning(pid)).toBe(true);
    await registry.close();
    expect(isRunning(pid)).toBe(false);
  });

  it('takes with it what it started, and is killed when it does not listen', async () => {
    const port = await freePort();
    const { registry, log } = await open({
      port,
      start: serve(port, "trap '' TERM; sleep 1000 & echo pid=$!; "),
    });
    expect([...registry.agents.keys()]).toEqual(['test.served']);
    const pid = pidIn(log());
    expect(isRunning(pid)).toBe(true);
    await registry.close();
    await until(() => !isRunning(pid));
  });

  it('is unavailable with the way it ended when its command ends', async () => {
    const { registry, place } = await open({ port: await freePort(), start: 'echo no luck; exit 3' });
    const file = join(place, 'agent-logs', 'served-one.log');
    const reason = 'its command exited with code 3';
    expect(registry.unavailable).toEqual([{ label: 'served one', reason, log: { file, lines: ['no luck'] } }]);
  });

  it.each<[string, string, readonly unknown[]]>([
    ['nothing', 'exit 1', []],
    ['many lines, two of them blank', "printf 'a\\n\\nb\\nc\\n \\nd'; exit 1", ['b', 'c', 'd']],
    ['a megabyte on one line', 'head -c 1000000 /dev/zero | tr "\\0" x; exit 1', ['x'.repeat(4096)]],
    [
      'a pipe in the place of its log',
      'rm agent-logs/*; mkfifo agent-logs/served-one.log; exit 1',
      [expect.stringContaining('no regular file')],
    ],
  ])('is unavailable with the end of what it printed: %s', async (_, start, lines) => {
    const { registry } = await open({ port: await freePort(), start });
    expect(registry.unavailable).toMatchObject([{ log: { lines } }]);
  });

  it('tells no line of an earlier start', async () => {
    const earlier = folder();
    const log = new ServiceLog(earlier, 'a');
    writeFileSync(log.file, 'earlier\n');
    log.handOver();
    const later = new ServiceLog(earlier, 'a');
    appendFileSync(later.file, 'later\n');
    later.handOver();
    expect(later.tail().lines).toEqual(['later']);
  });

  it('is told of on one line that no terminal and no workflow obeys', () => {
    const hostile = '\u001b[2J\u202e##[error]x';
    const text = unavailableText({ label: 'a', reason: 'ended', log: { file: 'a.log', lines: [hostile] } });
    expect(text).not.toMatch(/[\u0000-\u001f\u202e]|##\[/);
    expect(text).toContain('a.log');
  });

  it('is unavailable, and ended, when no card comes within timeout_s', async () => {
    const { registry, log } = await open({
      port: await freePort(),
      start: 'echo pid=$$; exec sleep 1000',
      timeoutS: 1,
    });
    expect(registry.unavailable).toMatchObject([{ label: 'served one', reason: expect.stringMatching(/within 1 s/) }]);
    expect(registry.unavailable[0]?.log?.lines).toEqual([expect.stringMatching(/^pid=/)]);
    expect(isRunning(pidIn(log()))).toBe(false);
  });

  it('is not started when something else answers at its address', async () => {
    const port = await freePort();
    const first = await open({ port, start: serve(port) });
    expect([...first.registry.agents.keys()]).toEqual(['test.served']);
    const second = await open({ port, start: 'echo pid=$$; exec sleep 1000' });
    expect(second.registry.unavailable).toEqual([
      { label: 'served one', reason: expect.stringMatching(/something else answers/) },
    ]);
    expect(second.log()).toBe('');
  });

  it('fails the call when its command ended meanwhile', async () => {
    const port = await freePort();
    const { registry, log } = await open({ port, start: serve(port, 'echo pid=$$; ') });
    process.kill(pidIn(log()), 'SIGKILL');
    await until(() => !isRunning(pidIn(log())));
    await sleep(300);
    await expect(registry.agents.get('test.served')?.invoke(callFor())).rejects.toMatchObject({
      code: 'agent-exited',
      message: expect.stringMatching(/SIGKILL/),
    });
  });

  it.each<[string, NodeJS.Signals]>([
    ['is interrupted', 'SIGINT'],
    ['crashes', 'SIGKILL'],
  ])('ends when the command line %s', async (_, signal) => {
    const place = folder();
    const port = await freePort();
    const slow = 'fetch = undefined; setTimeout(() => {}, 1e6); await new Promise(() => {});';
    writeFileSync(join(place, 'slow.mjs'), slow);
    const entry = { url: `http://127.0.0.1:${port}`, name: 'one', start: serve(port, 'echo pid=$$; ') };
    // The second entry never gives its card, so that the command line is caught while it starts.
    const never = {
      url: `http://127.0.0.1:${await freePort()}`,
      name: 'two',
      start: `exec ${process.execPath} slow.mjs`,
    };
    writeFileSync(join(place, 'agents.yaml'), JSON.stringify({ agents: [entry, never] }));
    const child = spawn(process.execPath, [CLI, 'agents'], { cwd: place, stdio: 'ignore' });
    const exited = new Promise((done) => child.on('exit', done));
    const log = (): string => {
      const file = join(place, 'agent-logs', 'one.log');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    };
    await until(() => log().includes('http://'));
    const pid = pidIn(log());
    expect(isRunning(pid)).toBe(true);
    child.kill(signal);
    await exited;
    await until(() => !isRunning(pid));
  });
});
