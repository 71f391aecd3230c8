// Issue "6", what a trace cannot show: results that change from run to run, and a network that should not be there.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { offlineProcess } from '../../core/io/offline-process.js';
import { codeOf } from '../support/code-of.js';
import { grounding } from './grounding.js';
import { agentModule, fixtureFor, PRINCIPAL, workshop } from './workshop.js';

const run = (folder: string, env: Readonly<Record<string, string>> = {}) =>
  grounding(['run', '--format', 'json'], { cwd: folder, env: { ...PRINCIPAL, ...env } });

/** A workshop with one agent and one fixture for it. */
const single = (body: string, { mode = 'none', expect: expected = '' }) =>
  workshop({
    'slow.mjs': agentModule('test.slow', body, mode),
    'agents.yaml': 'agents: [{ module: slow.mjs }]',
    'fixtures/honest.json': fixtureFor('slow'),
    'fixtures/honest.expect.yaml': expected,
  });

const answering = (text: string) =>
  `return ctx.succeeded({ statement: '.', payload: { text: ${text}, grounded_on: [ctx.cite(ctx.input)] } });`;

test.each([
  ['passes when the payloads are the same but for the run’s own id', 'none', "'always'", 0],
  ['fails when the payloads of a none agent differ', 'none', 'String(Math.random())', 1],
  ['lets them differ in another mode', 'input_only', 'String(Math.random())', 0],
])('a fixture that repeats %s', async (_, mode, text, code) => {
  const ended = await run(single(answering(text), { mode, expect: 'repeat: 3\n' }));
  expect(ended.code).toBe(code);
  const differing = JSON.parse(ended.stdout).results.filter(
    (row: { ok?: boolean; state: string }) => row.state !== 'as-expected',
  );
  expect(differing.length).toBe(code === 0 ? 0 : 2);
});

const canOffline = (() => {
  try {
    return offlineProcess() !== undefined;
  } catch {
    return false;
  }
})();

test('a fixture that is offline reaches nothing over the network, and answers all the same', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.end('x');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const body = `let told = 'cut off'; try { told = await (await fetch('${url}')).text(); } catch {} ${answering('told')}`;
  try {
    const online = await run(single(body, { expect: 'status: succeeded\n' }));
    expect({ code: online.code, asked }).toEqual({ code: 0, asked: 1 });
    const offline = await run(single(body, { expect: 'status: succeeded\noffline: true\nrepeat: 2\n' }));
    // Where the system allows no namespace the fixture is refused, and never run with a network.
    expect({ code: offline.code, asked }).toEqual({ code: canOffline ? 0 : 2, asked: 1 });
  } finally {
    server.close();
  }
});

test('a fixture that is offline is not judged, with the reason, where unshare cannot be found', async () => {
  const ended = await run(single(answering("'x'"), { expect: 'offline: true\n' }), { PATH: '/nowhere' });
  expect(ended.code).toBe(2);
  expect(`${ended.stdout}${ended.stderr}`).toContain('offline-unavailable');
});

test('offlineProcess throws offline-unavailable where unshare cannot be found', () => {
  const { PATH } = process.env;
  process.env['PATH'] = '/nowhere';
  try {
    expect(codeOf(() => offlineProcess())).toMatchObject({ code: 'offline-unavailable', blame: 'configuration' });
  } finally {
    process.env['PATH'] = PATH;
  }
});
