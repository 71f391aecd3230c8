import { expect, test } from 'vitest';
import { payloadOf } from '../github/webhooks.js';
import { fixture, PROFILE, PROJECT, pinFor } from './project.js';
import { perform, performPull, propose, pullStep, READ_ONLY, shallowly, stage } from './stage.js';

const RECORDS = PROJECT['records.jsonl'] ?? '';

test("judges by the base's pins when a pull request pins a copy that says what its agent says", async () => {
  const on = await stage();
  const forged = `${RECORDS}{"id":"rec:9","title":"Title of rec:9"}\n`;
  const pull = propose(on, {
    'records.jsonl': forged,
    'sources.yaml': pinFor(forged),
    'fixtures/new.json': fixture({ fetch: ['rec:9'] }),
  });
  const done = await performPull(on, pull);
  expect(done).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
  expect(done.report?.findings).toContainEqual(expect.objectContaining({ rule: 'S1', level: 'error' }));
  expect(done.report?.notices.join()).toContain('alters sources.yaml');
});

test("lets the pull request's own sources only ever add to the verdict", async () => {
  const on = await stage();
  const poorer = RECORDS.split('\n').slice(1).join('\n');
  const pull = propose(on, { 'records.jsonl': poorer, 'sources.yaml': pinFor(poorer) });
  const done = await performPull(on, pull);
  expect(done.code).toBe(1);
  expect(done.report?.results[0]?.differences.join()).toContain('under the sources of this change');
  const [finding] = done.report?.findings.filter(({ rule }) => rule === 'S1') ?? [];
  expect(finding).toMatchObject({ level: 'error', fixture: 'fixtures/found.json' });
});

test("runs agents under the base's profile when a pull request widens its own", async () => {
  const on = await stage({
    files: { ...PROJECT, 'profiles/default.yaml': PROFILE.replace('test.finder', 'test.other') },
  });
  const pull = propose(on, { 'profiles/default.yaml': PROFILE });
  const done = await performPull(on, pull);
  expect(done.code).toBe(1);
  expect(done.report?.results[0]).toMatchObject({ state: 'unexpected' });
  expect(JSON.stringify(done.report?.results)).toContain('agent-not-permitted');
});

test("evaluates the pull request's profile as a gate when it narrows the base's", async () => {
  const on = await stage();
  const pull = propose(on, { 'profiles/default.yaml': `${PROFILE}actions_requiring_approval: [find]\n` });
  const done = await performPull(on, pull);
  expect(done.code).toBe(1);
  expect(done.report?.results[0]?.differences.join()).toContain('under the profile of this change');
});

test.each([
  ['removes a fixture', { 'fixtures/second.json': null }, 'fixture-removed'],
  ['loosens a status', { 'fixtures/found.expect.yaml': 'verified: 1\n' }, 'expectation-loosened'],
  ['loosens a count', { 'fixtures/found.expect.yaml': 'status: succeeded\n' }, 'expectation-loosened'],
  ['drops an expectation', { 'fixtures/found.expect.yaml': null }, 'expectation-loosened'],
])('fails a pull request that %s', async (_, files, rule) => {
  const on = await stage({ files: { ...PROJECT, 'fixtures/second.json': fixture({ fetch: ['rec:2'] }) } });
  const done = await performPull(on, propose(on, files));
  expect(done).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
  expect(done.report?.findings).toContainEqual(expect.objectContaining({ rule, level: 'error' }));
});

const HELD = `agents:
  - module: agents/finder.mjs
    isolate: if-possible
    sources: ["records-1"]
`;

test.each([
  ['isolation', HELD.replace('if-possible', 'false'), 3],
  ['the copies that are served', HELD.replace(/ {4}sources.*\n/, ''), 2],
])('fails a pull request that takes back %s, on the line', async (_, agents, line) => {
  const on = await stage({ files: { ...PROJECT, 'agents.yaml': HELD } });
  const done = await performPull(on, propose(on, { 'agents.yaml': agents }));
  expect(done).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
  const place = expect.objectContaining({ file: 'agents.yaml', line });
  expect(done.report?.findings).toContainEqual(
    expect.objectContaining({ rule: 'registration-loosened', level: 'error', place }),
  );
});

test('passes a pull request that has an agent seen which was not', async () => {
  const on = await stage();
  const done = await performPull(on, propose(on, { 'agents.yaml': HELD }));
  expect(done).toMatchObject({ code: 0, outputs: { conclusion: 'passed' } });
});

test('passes a pull request that moves a fixture or tightens an expectation', async () => {
  const on = await stage();
  const pull = propose(on, {
    'fixtures/found.json': null,
    'fixtures/found.expect.yaml': null,
    'fixtures/deeper/moved.json': PROJECT['fixtures/found.json'] ?? '',
    'fixtures/deeper/moved.expect.yaml': 'status: succeeded\nverified: 1\nunresolved: 0\n',
  });
  expect(await performPull(on, pull)).toMatchObject({ code: 0, outputs: { conclusion: 'passed' } });
});

test('runs both versions of a fixture whose request the pull request changes', async () => {
  const on = await stage();
  const done = await performPull(on, propose(on, { 'fixtures/found.json': fixture({ fetch: ['rec:2'] }) }));
  expect(done).toMatchObject({ code: 0, outputs: { runs: '2' } });
  expect(done.report?.results.map((row) => row.fixture)).toEqual([
    'fixtures/found.json',
    'fixtures/found.json (as on the base)',
  ]);
});

test('says that a first use is unprotected, in check, comment and summary', async () => {
  const on = await stage({ files: { 'README.md': 'empty\n' } });
  const pull = propose(on, PROJECT);
  const done = await performPull(on, pull, { inputs: { comment: 'always' } });
  expect(done).toMatchObject({ code: 0 });
  const [check] = on.repository.checks.of(pull.headSha);
  const [comment] = on.repository.discussion.commentsOf(pull.number);
  for (const text of [check?.output.summary, comment?.body, done.summary])
    expect(text).toContain('first use, unprotected');
});

test('refuses a pull request that removes what the base has of the configuration', async () => {
  const on = await stage();
  for (const file of ['sources.yaml', 'profiles/default.yaml']) {
    const done = await performPull(on, propose(on, { [file]: null }, { branch: `without-${file.length}` }));
    expect(done).toMatchObject({ code: 2, outputs: { conclusion: 'refused' } });
    expect(done.log).toContain('[config-missing]');
  }
});

test('reads the base by the API when the checkout is shallow, with the same verdict', async () => {
  const on = await stage();
  const pull = propose(on, { 'fixtures/found.expect.yaml': 'status: succeeded\n' });
  const done = await performPull(on, pull, { prepare: shallowly(pull.baseSha) });
  expect(done.code).toBe(1);
  expect(done.report?.findings).toContainEqual(expect.objectContaining({ rule: 'expectation-loosened' }));
  expect(on.server.requests.some(({ operation }) => operation === 'git/get-tree')).toBe(true);
});

test('fails and names fetch-depth when neither git nor the API has the base', async () => {
  const on = await stage({ private: true });
  const pull = propose(on, { 'README.md': 'new\n' });
  const done = await performPull(on, pull, {
    permissions: { checks: 'write' },
    prepare: shallowly(pull.baseSha),
  });
  expect(done).toMatchObject({ code: 2, outputs: { conclusion: 'refused' } });
  expect(done.log).toContain('[base-unreachable]');
  expect(done.log).toContain('fetch-depth: 0');
});

test('does not hold what the base has gained since the event against a pull request', async () => {
  const on = await stage({ files: { ...PROJECT, 'fixtures/second.json': fixture({ fetch: ['rec:2'] }) } });
  const pull = propose(on, { 'README.md': 'new\n' });
  const payload = payloadOf(on.server, { event: 'pull_request', action: 'opened', repository: on.repository, pull });
  on.repository.commit({ files: { 'fixtures/second.json': null, 'fixtures/found.expect.yaml': 'verified: 1\n' } });
  const { happening: _, ...step } = pullStep(on, { pull });
  const done = await perform(on, { ...step, happening: { event: 'pull_request', payload } });
  expect(done).toMatchObject({ code: 0, outputs: { conclusion: 'passed', runs: '1' } });
});

test('refuses a link in the place of what binds', async () => {
  const on = await stage();
  on.repository.commit({ files: { 'fixtures/link.json': { symlink: 'found.json' } } });
  const done = await performPull(on, propose(on, { 'README.md': 'new\n' }));
  expect(done.code).toBe(2);
  expect(done.log).toContain('[base-link]');
});

test("takes the merge group's own base, and never comments there", async () => {
  const on = await stage();
  const pull = propose(on, { 'fixtures/found.expect.yaml': 'status: succeeded\n' });
  const group = on.repository.mergeGroup([pull]);
  const done = await perform(on, {
    happening: { event: 'merge_group', action: 'checks_requested', repository: on.repository, group },
    sha: group.sha,
    ref: group.ref,
    inputs: { comment: 'always', sarif: 'true' },
  });
  expect(done).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
  expect(on.repository.checks.of(group.sha)).toMatchObject([{ conclusion: 'failure' }]);
  expect(on.repository.discussion.comments).toEqual([]);
  expect(on.repository.sarifs).toEqual([]);
  expect(done.summary).toContain('merge queue');
});

test("judges a push by the commit's own configuration", async () => {
  const on = await stage();
  const before = on.repository.head();
  const after = on.repository.commit({ files: { 'fixtures/found.expect.yaml': 'status: succeeded\n' } });
  const happening = { event: 'push', repository: on.repository, ref: 'refs/heads/main', before, after } as const;
  const done = await perform(on, { happening, sha: after, ref: 'refs/heads/main' });
  expect(done).toMatchObject({ code: 0, outputs: { conclusion: 'passed' } });
});

test.each(['head', 'base'])('refuses pull_request_target with the %s checked out', async (which) => {
  const on = await stage();
  const pull = propose(on, { 'README.md': 'new\n' });
  const step = pullStep(on, { pull });
  const payload = { action: 'opened', number: pull.number, pull_request: { head: { sha: pull.headSha } } };
  const done = await perform(on, {
    ...step,
    happening: { event: 'pull_request_target', payload },
    sha: pull.baseSha,
    checkout: which === 'head' ? pull.headSha : pull.baseSha,
  });
  expect(done.code).toBe(2);
  expect(done.log).toContain('[event-target]');
});

test('refuses a checkout of another commit than the event is about', async () => {
  const on = await stage();
  const pull = propose(on, { 'README.md': 'new\n' });
  const done = await performPull(on, pull, { checkout: pull.baseSha });
  expect(done.code).toBe(2);
  expect(done.log).toContain('[checkout-differs]');
});

test.each([
  ['a fork', 'fork'],
  ['Dependabot', 'dependabot'],
])('judges a pull request of %s as any other, with a token that may only read', async (_, who) => {
  const on = await stage();
  const fork = who === 'fork' ? on.repository.fork('mallory/agents') : undefined;
  const pull = propose(
    on,
    { 'fixtures/lie.json': fixture({ cite: ['rec:9'] }) },
    { ...(fork && { from: fork }), branch: 'bump' },
  );
  const actor = who === 'fork' ? 'mallory' : 'dependabot[bot]';
  const done = await performPull(on, pull, { permissions: READ_ONLY, actor });
  expect(done).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
  expect(done.log).toMatch(/^::error file=fixtures\/lie\.json/m);
  expect(done.summary).toContain('G2');
});
