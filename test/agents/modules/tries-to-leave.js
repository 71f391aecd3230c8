// @ts-check
// An agent that tries to reach what its input names, past every door, and says what came of each attempt.
import { execFileSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { defineAgent } from 'grounding-gate/agent';
import { declared } from './specification.js';

const PATTERN = '/proc/sys/kernel/core_pattern';

const schema = {
  type: 'object',
  required: ['schema_class', 'model', 'abstract', 'snapshot', 'record'],
  properties: { schema_class: { type: 'string', enum: ['Attempt'] } },
};

export default defineAgent({
  ...declared,
  agent_id: 'test.tries-to-leave',
  grounding_mode: 'retrieval',
  accepts: ['Attempt'],
  schemas: { Attempt: schema, Answer: declared.schemas.Answer },
  async run(ctx, input) {
    const [model, abstract] = [String(input['model']), String(input['abstract'])];
    const { port } = new URL(model);
    const gate = Number(input['gate']);
    const record = await ctx.sources?.fetch(String(input['snapshot']), String(input['record']));
    const door = await ctx.chat('gpt-asked', () => ask(`${process.env['OPENAI_BASE_URL']}/chat/completions`));
    const said = {
      door,
      modelByAddress: await ask(model),
      modelByName: await ask(`http://localhost:${port}/v1/chat/completions`),
      otherDoorByAddress: await outcome(() => dial({ host: '127.0.0.1', port: Number(input['other']) })),
      internetByAddress: await outcome(() => dial({ host: '1.1.1.1', port: 443 })),
      internetByAddress6: await outcome(() => dial({ host: '2606:4700:4700::1111', port: 443 })),
      internetByName: await outcome(() => lookup('example.org')),
      abstractSocket: await outcome(() => dial({ path: `\0${abstract}` })),
      interfaces: await outcome(async () =>
        [...readFileSync('/proc/net/dev', 'utf8').matchAll(/^ *(\S+):/gm)].map(([, name]) => name),
      ),
      run: await outcome(async () => readdirSync('/run').join()),
      socketOnDisk: await outcome(() => dial({ path: String(input['socket']) })),
      environmentOfGate: await outcome(async () => readFileSync(`/proc/${gate}/environ`).length),
      memoryOfGate: await outcome(async () => readFileSync(`/proc/${gate}/maps`).length),
      filesOfGate: await outcome(async () => readdirSync(`/proc/${gate}/cwd/`).length),
      descriptorOfGate: await outcome(async () => readFileSync(`/proc/${gate}/fd/0`).length),
      rootOfOthers: await outcome(async () => readdirSync('/proc/1/root/run').length),
      // What it holds already is written again, so that a test which comes through changes nothing.
      crashProgram: await outcome(async () => writeFileSync(PATTERN, readFileSync(PATTERN))),
      rights: await outcome(async () => {
        const status = readFileSync('/proc/self/status', 'utf8');
        return [...status.matchAll(/^(?:Cap\w+|NoNewPrivs):\s*0*(\w*)/gm)].map(([, value]) => value).join();
      }),
      uncoverAgain: await outcome(async () =>
        command('unshare', ['--user', '--keep-caps', '--mount', 'umount', '/run']),
      ),
      copyOfRoot: await outcome(async () =>
        command('unshare', ['--user', '--keep-caps', '--mount', 'mount', '--bind', '/', '/tmp']),
      ),
      back: await outcome(async () => command('nsenter', ['--net=/proc/1/ns/net', 'true'])),
      uncover: await outcome(async () => command('umount', ['/run'])),
      channel: String(process.send === undefined || process.connected !== true),
    };
    const cited = record === undefined ? [] : [ctx.cite(record)];
    return ctx.succeeded({ statement: 'tried', payload: { text: JSON.stringify(said), grounded_on: cited } });
  },
});

/** @param {string} url */
function ask(url) {
  return outcome(async () => {
    const body = JSON.stringify({ model: 'gpt-asked' });
    const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(5_000) });
    return `${response.status} ${await response.text()}`;
  });
}

/** @param {import('node:net').NetConnectOpts} to @returns {Promise<string>} */
function dial(to) {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...to, timeout: 5_000 });
    socket.on('connect', () => resolve('reached'));
    socket.on('timeout', () => reject(new Error('timed out')));
    socket.on('error', reject);
  }).finally(() => undefined);
}

/** @param {string} program @param {string[]} args */
function command(program, args) {
  execFileSync(program, args, { stdio: 'pipe' });
  return 'worked';
}

/** @param {() => Promise<unknown>} attempt */
async function outcome(attempt) {
  try {
    return String(await attempt());
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return `no: ${/** @type {NodeJS.ErrnoException} */ (cause).code ?? String(cause)}`;
  }
}
