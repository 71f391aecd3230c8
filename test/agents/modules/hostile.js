// @ts-check
// Misbehaves as `input.how` says; without it, it answers as an agent should.
import { closeSync, writeSync } from 'node:fs';
import { defineAgent } from 'grounding-gate/agent';
import { declared } from './specification.js';

const CHANNEL = 3;

/** @type {Record<string, () => unknown>} */
const WAYS = {
  loop: () => {
    while (true);
  },
  silence: () => new Promise((resolve) => setTimeout(resolve, 1_000_000)),
  exit: () => process.exit(0),
  'exit-code': () => process.exit(7),
  abort: () => process.abort(),
  kill: () => process.kill(process.pid, 'SIGKILL'),
  throw: () => {
    throw new RangeError('the agent gave up');
  },
  'throw-nothing': () => Promise.reject(undefined),
  'late-throw': () => new Promise(() => setTimeout(() => JSON.parse('{'), 10)),
  number: () => 42,
  nothing: () => undefined,
  list: () => [],
  function: () => ({ outcome: { status: 'succeeded', statement: () => 'x' }, evidence: [] }),
  'no-outcome': () => ({ evidence: [] }),
  date: () => ({ outcome: { status: 'succeeded', statement: 'x', at: new Date() }, evidence: [] }),
  nan: () => ({ outcome: { status: 'succeeded', statement: 'x', score: Number.NaN }, evidence: [] }),
  surrogate: () => ({ outcome: { status: 'succeeded', statement: '\ud800' }, evidence: [] }),
  cycle: () => {
    /** @type {Record<string, unknown>} */
    const outcome = { status: 'succeeded' };
    outcome['outcome'] = outcome;
    return { outcome, evidence: [] };
  },
  'too-large': () => ({ outcome: { status: 'succeeded', statement: 'x'.repeat(17 * 1024 * 1024) }, evidence: [] }),
  'endless-line': () => {
    const chunk = 'x'.repeat(1024 * 1024);
    while (true) write(chunk);
  },
  half: () => {
    write('{"id":1,"answer":{"result":');
    process.exit(0);
  },
  'not-json': () => forge('{"id":1,"answer":{"result":{"outcome":{}},"spans":[]}'),
  'duplicate-key': () => forge('{"id":1,"answer":{"result":{"outcome":{},"outcome":{}},"spans":[]}}'),
  'nan-literal': () => forge('{"id":1,"answer":{"result":{"outcome":{"score":NaN}},"spans":[]}}'),
  'not-utf8': () => {
    writeSync(CHANNEL, Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    return new Promise(() => {});
  },
  'other-call': () => forge('{"id":2,"answer":{"result":{"outcome":{}},"spans":[]}}'),
  'no-spans': () => forge('{"id":1,"answer":{"result":{"outcome":{}}}}'),
  'odd-spans': () => forge('{"id":1,"answer":{"result":{"outcome":{}},"spans":[1]}}'),
  'two-answers': () => forge('{"id":1,"answer":{"result":{"outcome":{}},"spans":[]}}\n{"id":2}'),
  'close-channel': () => {
    closeSync(CHANNEL);
    while (true);
  },
};

export default defineAgent({
  ...declared,
  async run(ctx, /** @type {{ how?: string }} */ input) {
    console.log('printed by the agent on its standard output');
    console.error('printed by the agent on its standard error');
    const way = WAYS[input.how ?? ''];
    if (way !== undefined) return /** @type {any} */ (way());
    return ctx.abstained({ statement: 'there is nothing to say', reason_code: 'not_applicable' });
  },
});

/** @param {string} text */
function write(text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(CHANNEL, bytes, at);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EAGAIN') throw error;
    }
  }
}

/** Answers on the channel itself, and never lets the host answer. @param {string} line */
function forge(line) {
  write(`${line}\n`);
  return new Promise(() => {});
}
