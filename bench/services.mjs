// 200 invocations of a service agent that takes 50 ms, 20 at a time, through one `grounding serve`, beside the same agent called
// directly by the same client. None may be lost or doubled; what is measured is memory and throughput. As many calls of either kind
// go before those that are measured and are not counted, so that neither side pays for the compilation of its code. That takes some
// thousand calls to end, and a service runs for days: both are measured again, in turns, after ten times as many.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { v7 } from 'uuid';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const CLI = join(root, 'build', 'cli.js');
const MEMORY = join(root, 'bench', 'services', 'memory.cjs');
const AT_ONCE = 20;
const MIB = 1024 * 1024;
const INPUT = { schema_class: 'Message', message_text: 'wait' };

/** In bytes: what is in use after a collection, and what the system gave the process. @typedef {{ live: number, rss: number }} Memory */

export async function run({ quick = false } = {}) {
  const total = quick ? 100 : 200;
  const folder = mkdtempSync(join(tmpdir(), 'grounding-bench-services-'));
  /** @type {{ stop(): Promise<void> }[]} */
  const started = [];
  try {
    const agent = await start(['serve-agent', join(root, 'bench', 'services', 'agent.mjs')], { cwd: root });
    started.push(agent);
    const serve = await start(['serve'], { cwd: workshop(folder, agent.url), env: PRINCIPAL });
    started.push(serve);
    await inTurns(total, (id) => invokeAgent(agent.url, id));
    const warmUp = await inTurns(total, (id) => invokeHarness(serve.url, id));
    const bare = await inTurns(total, (id) => invokeAgent(agent.url, id));
    /** @type {Promise<Memory>[]} */
    const memory = [];
    const through = await inTurns(
      total,
      (id) => invokeHarness(serve.url, id),
      (done) => {
        if (done === total / 10 || done === total) memory.push(serve.memory());
      },
    );
    const [first, last] = await Promise.all(memory);
    if (first === undefined || last === undefined) throw new Error('memory was not measured');
    const later = quick ? { before: 0, turns: 1 } : { before: 8, turns: 5 };
    const ids = [...warmUp.ids, ...through.ids];
    const turns = [];
    for (let turn = -later.before; turn < later.turns; turn++) {
      const direct = await inTurns(total, (id) => invokeAgent(agent.url, id));
      const served = await inTurns(total, (id) => invokeHarness(serve.url, id));
      ids.push(...served.ids);
      if (turn >= 0) turns.push({ times: served.perSecond / direct.perSecond, served, direct });
    }
    const middle = turns.sort((one, other) => one.times - other.times)[turns.length >> 1];
    if (middle === undefined) throw new Error('nothing was measured in turns');
    checkRuns(join(folder, 'runs'), ids);
    return [
      {
        name: `${ids.length} runs of a 50 ms service through serve, ${AT_ONCE} at a time: lost or doubled`,
        value: '0',
        target: '0',
      },
      {
        name: `throughput through serve, over the bare agent, after ${total} calls of each`,
        value: `${(through.perSecond / bare.perSecond).toFixed(2)} times`,
        target: 'aim 0.70 times',
      },
      {
        name: 'runs a second through serve',
        value: `${through.perSecond.toFixed(0)} (bare agent: ${bare.perSecond.toFixed(0)})`,
        target: null,
      },
      {
        name: `the same after ${(2 + later.before) * total} calls of each, the middle of ${later.turns} turns`,
        value: `${middle.times.toFixed(2)} times (${middle.served.perSecond.toFixed(0)} and ${middle.direct.perSecond.toFixed(0)} a second)`,
        target: 'aim 0.70 times',
      },
      {
        name: 'memory of serve in use after the last tenth, over that after the first',
        value: `${(last.live / first.live).toFixed(2)} times (${(last.live / MIB).toFixed(0)} MiB)`,
        target: 'at most 1.2 times',
      },
      {
        name: 'the same of all memory that the system gave it',
        value: `${(last.rss / first.rss).toFixed(2)} times (${(last.rss / MIB).toFixed(0)} MiB)`,
        target: 'at most 1.2 times',
      },
    ];
  } finally {
    for (const one of started.reverse()) await one.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const PRINCIPAL = { DD_PRINCIPAL_ID: 'mailto:bench@example.org', DD_PRINCIPAL_NAME: 'Bench' };

function workshop(/** @type {string} */ folder, /** @type {string} */ url) {
  mkdirSync(join(folder, 'profiles'));
  writeFileSync(join(folder, 'agents.yaml'), `agents: [{url: "${url}"}]\n`);
  writeFileSync(join(folder, 'sources.yaml'), 'sources: []\n');
  writeFileSync(
    join(folder, 'profiles', 'default.yaml'),
    'profile_id: bench\nversion: 1\nagents: {bench.sleeper: wait}\n',
  );
  return folder;
}

/**
 * Calls `work` that many times with a fresh id, AT_ONCE at a time; `onEnd` is told how many have ended.
 * @param {number} total
 * @param {(id: string) => Promise<unknown>} work
 * @param {(done: number) => void} [onEnd]
 */
async function inTurns(total, work, onEnd = () => {}) {
  const ids = Array.from({ length: total }, () => v7());
  const begun = process.hrtime.bigint();
  let next = 0;
  let done = 0;
  const worker = async () => {
    for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
      await work(id);
      onEnd(++done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { ids, perSecond: total / (Number(process.hrtime.bigint() - begun) / 1e9) };
}

const requestOf = (/** @type {string} */ id) => ({
  invocation_id: id,
  agent_id: 'bench.sleeper',
  issued_at: '2026-09-30T10:00:00Z',
  input: INPUT,
});

function invokeAgent(/** @type {string} */ url, /** @type {string} */ id) {
  const canonical = `{"message_text":"${INPUT.message_text}","schema_class":"${INPUT.schema_class}"}`;
  return send(url, requestOf(id), {
    'dd.input_ref': `input:${id}`,
    'dd.input_hash': createHash('sha256').update(canonical).digest('hex'),
    traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
  });
}

function invokeHarness(/** @type {string} */ url, /** @type {string} */ id) {
  return send(url, requestOf(id), {});
}

/**
 * One call over A2A; rejects unless a completed task comes back.
 * @param {string} url
 * @param {object} data
 * @param {Record<string, string>} metadata
 */
function send(url, data, metadata) {
  const message = { messageId: v7(), role: 'ROLE_USER', parts: [{ data }], metadata };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } });
  const headers = { 'content-type': 'application/json', 'A2A-Version': '1.0' };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${url}/a2a`, { method: 'POST', agent: false, headers }, (incoming) => {
      /** @type {Buffer[]} */
      const chunks = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (text.includes('"TASK_STATE_COMPLETED"')) resolve(text);
        else reject(new Error(`a call failed: ${text.slice(0, 500)}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Every run is stored once, succeeded, and nothing else is. */
function checkRuns(/** @type {string} */ runs, /** @type {readonly string[]} */ ids) {
  const lines = readFileSync(join(runs, 'invocations.jsonl'), 'utf8').trimEnd().split('\n');
  const indexed = lines
    .map((line) => JSON.parse(line))
    .map(({ invocation_id, outcome }) => {
      if (outcome.status !== 'succeeded') throw new Error(`${invocation_id} ended as ${outcome.status}`);
      return String(invocation_id);
    });
  if (indexed.length !== ids.length || new Set(indexed).size !== ids.length)
    throw new Error(`${ids.length} runs were asked for, ${indexed.length} lines hold ${new Set(indexed).size}`);
  for (const id of ids) {
    const { invocation_id } = JSON.parse(readFileSync(join(runs, id, 'envelope.json'), 'utf8'));
    if (invocation_id !== id) throw new Error(`the folder ${id} holds ${invocation_id}`);
  }
}

/**
 * Starts a command that prints its address and goes on.
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: Record<string, string> }} calling
 */
async function start(args, { cwd, env }) {
  const child = spawn(process.execPath, ['--expose-gc', '--require', MEMORY, CLI, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise((done) => child.on('exit', done));
  /** @type {((memory: Memory) => void)[]} */
  const asked = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('memory ')) asked.shift()?.(JSON.parse(line.slice('memory '.length)));
    else console.error(line);
  });
  /** @type {string} */
  const url = await Promise.race([
    new Promise((done) => child.stdout.once('data', (chunk) => done(chunk.toString().trim()))),
    exited.then((code) => Promise.reject(new Error(`grounding ${args.join(' ')} ended with ${code}`))),
  ]);
  return {
    url,
    /** @returns {Promise<Memory>} */
    memory() {
      child.kill('SIGUSR2');
      return new Promise((done) => asked.push(done));
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
