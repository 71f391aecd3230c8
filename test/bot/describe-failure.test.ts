import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Octokit } from '@octokit/core';
import { expect, test } from 'vitest';
import { describeFailure } from '../../bot/describe-failure.js';
import { gateError } from '../../core/index.js';

const PAYLOAD = 'text of a pull request';

const answer = (status: number) =>
  Object.assign(new Error(PAYLOAD), {
    status,
    request: { method: 'GET', url: `https://api.github.invalid/repos/octo/agents/pulls/1?token=${PAYLOAD}` },
  });

test('returns method, path and status of a refusal, without host and query', () => {
  expect(describeFailure(answer(502))).toEqual({ status: 502, request: 'GET /repos/octo/agents/pulls/1' });
});

test('returns the sentence of a 404, and none of a 422, which repeats what was sent', () => {
  expect(describeFailure(answer(404))).toMatchObject({ answer: PAYLOAD });
  expect(JSON.stringify(describeFailure(answer(422)))).not.toContain(PAYLOAD);
});

test('returns class or code, and where it arose, of an error of ours, without its message', () => {
  const plain = describeFailure(new TypeError(PAYLOAD));
  expect(plain).toMatchObject({ error: 'TypeError', at: expect.stringContaining('describe-failure.test') });
  expect(JSON.stringify(plain)).not.toContain(PAYLOAD);
  const coded = describeFailure(gateError('bot-settings', { blame: 'configuration', message: PAYLOAD }));
  expect(coded).toMatchObject({ code: 'bot-settings' });
  expect(JSON.stringify(coded)).not.toContain(PAYLOAD);
});

test('returns the type of what is no error', () => {
  expect(describeFailure(PAYLOAD)).toEqual({ error: 'string' });
});

test('returns that nobody answered, and how the system calls it, instead of the 500 that Octokit makes of it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const octokit = new Octokit({ baseUrl: `http://127.0.0.1:${port}` });
  const error: unknown = await octokit.request('GET /repos/octo/agents').catch((one: unknown) => one);
  expect(describeFailure(error)).toEqual({ unanswered: 'ECONNREFUSED', request: 'GET /repos/octo/agents' });
  const answered = Object.assign(answer(500), { response: { status: 500 } });
  expect(describeFailure(answered)).toMatchObject({ status: 500 });
});
