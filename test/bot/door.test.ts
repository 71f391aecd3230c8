import { request as httpRequest, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { deliver, payloadOf } from '../github/webhooks.js';
import { STAND_IN } from './stand-in.js';
import { commentsOf, metricsOf, SECRET, type Stage, stage, startBot, tell, until, untilIdle } from './support.js';

const PATH = '/api/github/webhooks';

/** The first pull request, and the webhook that says that it was opened. */
function opened({ repository, pulls: [pull] }: Stage) {
  if (pull === undefined) throw new Error('no pull request');
  return { pull, happening: { event: 'pull_request', action: 'opened', repository, pull } as const };
}

/** A bot that judges nothing, and what it was asked to judge. */
async function quiet(scene: Stage) {
  const judged: string[] = [];
  const workJob = async (job: { kind: string; why?: string }) => void judged.push(job.why ?? job.kind);
  const bot = await startBot(scene, { parts: { ...STAND_IN, workJob } });
  await until(() => judged.includes('sweep'), 'the sweep at the start');
  return { bot, judged };
}

/** Sends a request of which the test chooses everything; resolves with the answer's status, whatever became of the body. */
function send(
  url: string,
  { headers, body }: { headers: Record<string, string>; body?: (send: (bytes: Buffer) => void) => void },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', headers, agent: false });
    request.once('response', (response: IncomingMessage) => {
      response.resume();
      resolve(response.statusCode ?? 0);
      request.destroy();
    });
    request.on('error', reject);
    request.flushHeaders();
    body?.((bytes) => request.write(bytes));
  });
}

const HEADERS = {
  'content-type': 'application/json',
  'x-github-event': 'pull_request',
  'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
};

test('judges a pull request when its webhook comes', async () => {
  const scene = await stage();
  const { repository } = scene;
  const { pull } = opened(scene);
  const bot = await startBot(scene);
  await until(() => commentsOf(scene, pull).length === 1, 'the comment of the sweep at the start');
  repository.commit({ branch: 'change-0', files: { more: '2\n' } });
  const happening = { event: 'pull_request', action: 'synchronize', repository, pull } as const;
  expect((await tell(scene, { bot, happening })).statusCode).toBe(200);
  await until(() => commentsOf(scene, pull)[0]?.endsWith(pull.headSha) === true, 'the comment for the new head');
  expect(commentsOf(scene, pull)).toHaveLength(1);
});

test('refuses a webhook whose signature is forged, made with another secret, or missing, before anything happens', async () => {
  const scene = await stage();
  const { bot, judged } = await quiet(scene);
  const { happening } = opened(scene);
  const forged = ['sha256=', `sha256=${'0'.repeat(64)}`, `sha1=${'0'.repeat(40)}`, 'x', null];
  const statuses = await Promise.all(
    forged.map(async (signature) => (await tell(scene, { bot, happening, signature })).statusCode),
  );
  const payload = payloadOf(scene.server, happening, scene);
  const url = `${bot.url}${PATH}`;
  for (const secret of ['development', 'another secret that is long', SECRET.slice(0, -1)])
    statuses.push((await deliver(scene.server, { url, event: 'pull_request', payload, secret, app: 1 })).statusCode);
  expect(statuses).toEqual(Array.from({ length: 8 }, () => 400));
  await tell(scene, { bot, happening });
  await until(() => judged.includes('opened'), 'the right one');
  expect(judged.filter((why) => why === 'opened')).toHaveLength(1);
  expect(await metricsOf(bot, 'grounding_bot_deliveries_total')).toEqual([
    'grounding_bot_deliveries_total{event="pull_request",outcome="queued"} 1',
  ]);
});

test('works a delivery once when it is sent again, at once and later', async () => {
  const scene = await stage();
  const { bot, judged } = await quiet(scene);
  const { happening } = opened(scene);
  const guid = '11111111-1111-4111-8111-111111111111';
  expect((await tell(scene, { bot, happening, guid })).statusCode).toBe(200);
  await until(() => judged.includes('opened'), 'the first');
  const again = await Promise.all([1, 2, 3].map(() => tell(scene, { bot, happening, guid })));
  expect(again.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  await tell(scene, { bot, happening: { ...happening, action: 'reopened' } });
  await until(() => judged.includes('reopened'), 'a later one');
  expect(judged.filter((why) => why === 'opened')).toHaveLength(1);
});

test('ends with the newest head when webhooks come in the wrong order', async () => {
  const scene = await stage();
  const { repository } = scene;
  const { pull, happening } = opened(scene);
  const bot = await startBot(scene);
  const first = payloadOf(scene.server, happening, scene);
  repository.commit({ branch: 'change-0', files: { more: '2\n' } });
  const second = payloadOf(scene.server, { ...happening, action: 'synchronize' }, scene);
  for (const payload of [second, first])
    await deliver(scene.server, { url: `${bot.url}${PATH}`, event: 'pull_request', payload, secret: SECRET, app: 1 });
  await until(() => commentsOf(scene, pull)[0]?.endsWith(pull.headSha) === true, 'the comment for the newest head');
  await untilIdle(bot);
  expect(commentsOf(scene, pull)).toEqual([`<!-- stand-in -->\njudged ${pull.headSha}`]);
});

test('refuses a body that says it is over 25 MB before a byte of it is sent', async () => {
  const { bot } = await quiet(await stage());
  const headers = { ...HEADERS, 'content-length': String(25 * 1024 * 1024 + 1) };
  expect(await send(`${bot.url}${PATH}`, { headers })).toBe(413);
});

test('refuses a body that turns out to be over 25 MB while it comes', async () => {
  const { bot } = await quiet(await stage());
  const chunk = Buffer.alloc(1024 * 1024, 0x20);
  const status = await send(`${bot.url}${PATH}`, {
    headers: { ...HEADERS, 'transfer-encoding': 'chunked' },
    body: (write) => {
      for (let i = 0; i < 26; i++) write(chunk);
    },
  });
  expect(status).toBe(413);
});

test('keeps little of what many senders send at once, and refuses the rest', async () => {
  const { bot } = await quiet(await stage());
  const part = Buffer.alloc(20 * 1024 * 1024, 0x20);
  const headers = { ...HEADERS, 'content-length': String(25 * 1024 * 1024) };
  const answers = Array.from({ length: 8 }, () => send(`${bot.url}${PATH}`, { headers, body: (write) => write(part) }));
  // Those that are kept waiting for their end are never answered here.
  expect(await Promise.race(answers)).toBe(503);
  for (const one of answers) one.catch(() => {});
});

test.each([
  ['another content type', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ['no event', { 'x-github-event': '' }, 400],
  ['an event that is no word', { 'x-github-event': 'pull request' }, 400],
  ['a delivery that is no id', { 'x-github-delivery': 'a\tb' }, 400],
])('refuses a webhook with %s', async (_name, header, status) => {
  const { bot } = await quiet(await stage());
  expect(await send(`${bot.url}${PATH}`, { headers: { ...HEADERS, ...header, 'content-length': '2' } })).toBe(status);
});

test('logs of a webhook without headers that it was refused, and no name that it did not have', async () => {
  const { bot } = await quiet(await stage());
  expect((await fetch(`${bot.url}${PATH}`, { method: 'POST', body: new Uint8Array(2) })).status).toBe(415);
  const line = bot.lines.map((text) => JSON.parse(text)).find(({ event }) => event === 'delivery refused');
  expect(line).toMatchObject({ status: 415 });
  expect(Object.keys(line)).not.toContain('name');
  expect(Object.keys(line)).not.toContain('delivery');
});

test('refuses a body that is no JSON although its signature is right', async () => {
  const scene = await stage();
  const { bot } = await quiet(scene);
  const { createHmac } = await import('node:crypto');
  const body = '{"action": ';
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  const headers = { ...HEADERS, 'x-hub-signature-256': signature };
  expect((await fetch(`${bot.url}${PATH}`, { method: 'POST', headers, body })).status).toBe(400);
});

test('answers for its health, and to nobody else', async () => {
  const { bot } = await quiet(await stage());
  const get = async (path: string, method = 'GET') => (await fetch(`${bot.url}${path}`, { method })).status;
  expect(await Promise.all([get('/healthz'), get('/readyz'), get('/metrics'), get('/healthz?x')])).toEqual([
    200, 200, 200, 200,
  ]);
  expect(await Promise.all([get('/'), get('/probot'), get('/ping'), get('/healthz/x')])).toEqual([404, 404, 404, 404]);
  expect(await Promise.all([get('/healthz', 'POST'), get(PATH), get(PATH, 'DELETE')])).toEqual([405, 405, 405]);
});

test('writes its metrics as Prometheus reads them, with labels from closed sets', async () => {
  const scene = await stage();
  const { bot } = await quiet(scene);
  await tell(scene, { bot, happening: opened(scene).happening });
  await tell(scene, { bot, happening: { event: 'ping', repository: scene.repository } });
  await tell(scene, { bot, happening: opened(scene).happening, signature: 'x' });
  const text = await (await fetch(`${bot.url}/metrics`)).text();
  for (const line of text.split('\n').filter((one) => one !== ''))
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"\\]*"(,\w+="[^"\\]*")*\})? (-?[\d.e+-]+|NaN|\+Inf))$/);
  expect(text).toContain('grounding_bot_deliveries_total{event="ping",outcome="nothing"} 1');
  expect(text).toContain('grounding_bot_answer_seconds_count{status="400"} 1');
  expect(text).toContain('grounding_bot_answer_seconds_count{status="200"} 2');
  expect(text).toContain('grounding_bot_github_requests_total{status="200"}');
  expect(text).toMatch(/grounding_bot_job_seconds_count\{kind="roll-call",outcome="done"\} 1/);
});
