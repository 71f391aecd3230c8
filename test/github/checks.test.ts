import { expect, test } from 'vitest';
import { call, scene } from './support.js';

const annotation = (more: object = {}) => ({
  path: 'runs/a/envelope.json',
  start_line: 1,
  end_line: 1,
  annotation_level: 'failure',
  message: 'not grounded',
  ...more,
});

async function ready() {
  const { server, repository, token } = await scene({ checks: 'write' });
  const head_sha = repository.head();
  const create = (body: object) =>
    call(server, {
      route: 'POST /repos/octo/agents/check-runs',
      token,
      body: { name: 'grounding', head_sha, ...body },
    });
  return { server, repository, token, create };
}

const output = (more: object = {}) => ({ title: 'title', summary: 'summary', ...more });

test('gathers annotations over requests, and lists them in pages', async () => {
  const { server, token, create } = await ready();
  const fifty = Array.from({ length: 50 }, (_, index) => annotation({ start_line: index + 1, end_line: index + 1 }));
  const made = await create({ status: 'in_progress', output: output({ annotations: fifty }) });
  expect(made).toMatchObject({ status: 201, body: { status: 'in_progress', output: { annotations_count: 50 } } });
  const route = `/repos/octo/agents/check-runs/${made.body.id}`;
  const body = { conclusion: 'failure', output: output({ annotations: [annotation()] }) };
  const updated = await call(server, { route: `PATCH ${route}`, token, body });
  expect(updated.body).toMatchObject({ status: 'completed', conclusion: 'failure', output: { annotations_count: 51 } });
  const page = await call(server, { route: `GET ${route}/annotations?per_page=50&page=2`, token });
  expect(page.body).toHaveLength(1);
  expect(page.headers.get('link')).toContain('rel="prev"');
});

test.each([
  ['51 annotations', { output: output({ annotations: Array.from({ length: 51 }, () => annotation()) }) }, true],
  ['a summary of 65,536 bytes', { output: output({ summary: 'x'.repeat(65_536) }) }, true],
  ['a summary of 65,535 letters that take 2 bytes each', { output: output({ summary: 'é'.repeat(65_535) }) }, false],
  ['a text of 32,768 letters that take 2 bytes each', { output: output({ text: 'é'.repeat(32_768) }) }, false],
  ['a title of 65,536 bytes', { output: output({ title: 'x'.repeat(65_536) }) }, false],
  [
    'an annotation title of 256 letters',
    { output: output({ annotations: [annotation({ title: 'x'.repeat(256) })] }) },
    false,
  ],
  ['a message over 64 KB', { output: output({ annotations: [annotation({ message: 'x'.repeat(65_537) })] }) }, false],
  [
    'columns over two lines',
    { output: output({ annotations: [annotation({ end_line: 2, start_column: 1 })] }) },
    false,
  ],
  ['an end before the start', { output: output({ annotations: [annotation({ start_line: 2 })] }) }, false],
  ['no conclusion on completion', { status: 'completed' }, false],
  ['a commit that is not there', { head_sha: '0'.repeat(40) }, false],
  ['an output without a summary', { output: { title: 'title' } }, true],
  [
    'a fourth button',
    { actions: Array.from({ length: 4 }, () => ({ label: 'a', description: 'b', identifier: 'c' })) },
    true,
  ],
])('answers 422 to %s', async (_, body, isDescribed) => {
  const { server, create } = await ready();
  expect(await create(body)).toMatchObject({ status: 422, body: { status: '422' } });
  expect(server.takeViolations().length > 0).toBe(isDescribed);
});

test('takes an output that is just within every limit', async () => {
  const { create } = await ready();
  const annotations = [annotation({ title: 'é'.repeat(255), message: 'x'.repeat(65_536) })];
  const long = { summary: `${'é'.repeat(32_767)}x`, text: 'x'.repeat(65_535) };
  expect(await create({ output: output({ ...long, annotations }) })).toMatchObject({ status: 201 });
});

test('complains of members that GitHub does not know, and of lines and paths that it shows nowhere', async () => {
  const { server, create } = await ready();
  expect(await create({ headsha: 'x' })).toMatchObject({ status: 201 });
  expect(server.takeViolations()).toHaveLength(1);
  await create({ output: output({ annotations: [annotation({ start_line: 0 }), annotation({ path: './a' })] }) });
  expect(server.takeViolations()).toHaveLength(2);
});

test('answers 403 to another app that changes the check run', async () => {
  const { server, create } = await ready();
  const made = await create({});
  const token = server.token({ kind: 'actions', repository: 'octo/agents', permissions: { checks: 'write' } });
  const route = `PATCH /repos/octo/agents/check-runs/${made.body.id}`;
  expect(await call(server, { route, token, body: { conclusion: 'success' } })).toMatchObject({ status: 403 });
});

test('lists only the newest check run of a name, and all of them when asked', async () => {
  const { server, repository, token, create } = await ready();
  await create({ conclusion: 'failure' });
  const second = await create({ conclusion: 'success' });
  const route = `GET /repos/octo/agents/commits/${repository.head()}/check-runs`;
  const latest = await call(server, { route, token });
  expect(latest.body).toMatchObject({ total_count: 1, check_runs: [{ id: second.body.id }] });
  const all = await call(server, { route: `${route}?filter=all`, token });
  expect(all.body.total_count).toBe(2);
});
