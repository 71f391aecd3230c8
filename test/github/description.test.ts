import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  checkAnswer,
  checkBody,
  checkParameters,
  checkWebhook,
  findOperation,
  type Operation,
  operations,
} from './http/description.js';

const operation = (id: string): Operation => {
  const found = operations.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
};

test.each([
  ['GET', '/repos/o/r/commits/main/check-runs', 'checks/list-for-ref', { ref: 'main' }],
  ['GET', '/repos/o/r/commits/heads%2Fa%2Fb/check-runs', 'checks/list-for-ref', { ref: 'heads/a/b' }],
  ['GET', '/repos/o/r/commits/heads/a', 'repos/get-commit', { ref: 'heads/a' }],
  ['GET', '/repos/o/r/contents/a/b%20c.json', 'repos/get-content', { path: 'a/b c.json' }],
  ['GET', '/repos/o/r/contents/', 'repos/get-content', { path: '' }],
  ['GET', '/repos/o/r/compare/a...o:b', 'repos/compare-commits-with-basehead', { basehead: 'a...o:b' }],
  ['GET', '/repos/o/r/issues/comments/1', 'issues/get-comment', { comment_id: '1' }],
  ['GET', '/repos/o/r/git/ref/heads/a/b', 'git/get-ref', { ref: 'heads/a/b' }],
])('finds %s %s', (method, path, id, params) => {
  expect(findOperation(method, path)).toMatchObject({
    operation: { id },
    params: { owner: 'o', repo: 'r', ...params },
  });
});

test('finds nothing for another method, a longer path or a name with a dot for a letter', () => {
  expect(findOperation('PUT', '/repos/o/r')).toBeUndefined();
  expect(findOperation('GET', '/repos/o/r/pulls/1/files/2')).toBeUndefined();
  expect(findOperation('GET', '/rateXlimit')).toBeUndefined();
});

test('returns what is wrong with a body: missing, mistyped, too much, and unknown members at any depth', () => {
  const create = operation('checks/create');
  const good = { name: 'a', head_sha: 'b', output: { title: 't', summary: 's' } };
  expect(checkBody(create, good)).toEqual({ broken: [], unknown: [] });
  expect(checkBody(create, undefined).broken).toHaveLength(1);
  expect(checkBody(create, { name: 'a' }).broken).not.toEqual([]);
  expect(checkBody(create, { ...good, status: 'done' }).broken).not.toEqual([]);
  expect(checkBody(create, { ...good, output: { ...good.output, tittle: 'x' } })).toMatchObject({
    broken: [],
    unknown: { length: 1 },
  });
  expect(checkBody(operation('pulls/get'), {}).unknown).toHaveLength(1);
});

test('returns what is wrong with parameters', () => {
  const match = findOperation('GET', '/repos/o/r/pulls');
  if (match === undefined) throw new Error('no such operation');
  const check = (query: string) => checkParameters(match, new URLSearchParams(query));
  expect(check('state=all&per_page=100&page=2')).toEqual([]);
  expect(check('state=everything')).toHaveLength(1);
  expect(check('per_page=many')).toHaveLength(1);
  expect(check('colour=red')).toHaveLength(1);
});

test('returns what is wrong with an answer, and takes undescribed errors in the basic shape only', () => {
  const get = operation('issues/get-comment');
  expect(checkAnswer(get, { status: 200, body: { id: 1 } })).not.toEqual([]);
  expect(checkAnswer(get, { status: 202, body: {} })).toHaveLength(1);
  expect(checkAnswer(get, { status: 403, body: { message: 'no' } })).toEqual([]);
  expect(checkAnswer(get, { status: 403, body: { message: 1 } })).not.toEqual([]);
});

test('returns what is wrong with a webhook, and refuses one outside the subset', () => {
  expect(checkWebhook('pull-request-opened', { action: 'opened' })).not.toEqual([]);
  expect(checkWebhook('pull-request-opened', { action: 'closed' })).not.toEqual([]);
  expect(checkWebhook('star-created', {})).toHaveLength(1);
});

test('judges alone: no file of the server imports anything of the product', () => {
  const root = fileURLToPath(new URL('.', import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const outside = files.flatMap((file) => {
    const imports = readFileSync(join(root, file), 'utf8').matchAll(/from '(\.[^']+)'/g);
    return [...imports].filter(([, to = '']) => relative(root, join(root, dirname(file), to)).startsWith('..'));
  });
  expect(files.length).toBeGreaterThan(40);
  expect(outside).toEqual([]);
});
