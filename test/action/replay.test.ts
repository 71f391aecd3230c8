import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { fixture, PROJECT } from './project.js';
import { record } from './record.js';
import { type Done, performPull, propose, stage } from './stage.js';

type Files = Readonly<Record<string, string>>;

/** An agent that cannot be called any more, and says what it did before: what is replayed is not what it does now. */
const SILENT = {
  ...PROJECT,
  'agents/finder.mjs':
    PROJECT['agents/finder.mjs']?.replace(
      'async run(ctx, input) {',
      "async run(ctx, input) {\n    throw new Error('called');",
    ) ?? '',
};
const TWO = { 'fixtures/two.json': fixture({ fetch: ['rec:2', 'rec:3'] }) };
const REPLAY = { replay: 'recordings', runs: 'replayed' };

let base: Files;
let two: Files;
beforeAll(async () => {
  base = await record(PROJECT);
  two = await record({ ...PROJECT, ...TWO });
});

const stateOf = (done: Done) => done.report?.results.map(({ fixture: name, state }) => [name, state]);

describe('a pull request whose recordings are replayed', () => {
  test('passes without an agent being called, and everything that tells of it says so', async () => {
    const on = await stage({ files: { ...SILENT, ...base } });
    const pull = propose(on, { ...TWO, ...two });
    const done = await performPull(on, pull, {
      inputs: { ...REPLAY, comment: 'always', junit: 'true', sarif: 'true' },
    });
    expect(done.code).toBe(0);
    expect(done.report?.results.map((one) => (one as { replayed?: true }).replayed)).toEqual([true, true]);
    const [check] = on.repository.checks.runs.slice(-1);
    const told = '**Replayed**: 2 runs judged again from recordings, no agent was called.';
    for (const text of [done.summary, check?.output.summary, on.repository.discussion.comments.at(-1)?.body]) {
      expect(text).toContain(told);
      expect(text).toContain("the recordings in recordings are this change's own");
    }
    const folder = dirname(done.outputs['report'] ?? '');
    expect(readFileSync(join(folder, 'junit.xml'), 'utf8')).toContain('replayed from a recording');
    expect(readFileSync(join(folder, 'results.sarif'), 'utf8')).toContain('"replayed": 2');
  });

  test('fails where a recording breaks a rule, is missing, or is of another agent', async () => {
    const lie = { 'fixtures/lie.json': fixture({ fetch: ['rec:2'], cite: ['rec:9'] }) };
    const on = await stage({ files: { ...SILENT, ...base } });
    const lying = propose(on, { ...lie, ...(await record({ ...PROJECT, ...lie })) }, { branch: 'lie' });
    const lied = await performPull(on, lying, { inputs: REPLAY });
    expect([lied.code, stateOf(lied)]).toEqual([
      1,
      [
        ['fixtures/found.json', 'as-expected'],
        ['fixtures/lie.json', 'unexpected'],
      ],
    ]);

    const bare = await performPull(on, propose(on, TWO, { branch: 'bare' }), { inputs: REPLAY });
    expect([bare.code, stateOf(bare)]).toEqual([
      1,
      [
        ['fixtures/found.json', 'as-expected'],
        ['fixtures/two.json', 'not-judged'],
      ],
    ]);
    expect(bare.log).toContain('[recording-missing]');

    const agent = SILENT['agents/finder.mjs']?.replace("version: '1.0.0'", "version: '1.1.0'") ?? '';
    const newer = await performPull(on, propose(on, { 'agents/finder.mjs': agent }, { branch: 'newer' }), {
      inputs: REPLAY,
    });
    expect([newer.code, stateOf(newer)]).toEqual([2, [['fixtures/found.json', 'not-judged']]]);
    expect(newer.log).toContain('[recording-stale]');
  });

  test("takes the base's version of a changed fixture from the base's recording", async () => {
    const changed = { 'fixtures/found.json': fixture({ fetch: ['rec:3'] }) };
    const on = await stage({ files: { ...SILENT, ...base } });
    const pull = propose(on, { ...changed, ...(await record({ ...PROJECT, ...changed })) });
    const done = await performPull(on, pull, { inputs: REPLAY });
    expect([done.code, stateOf(done)]).toEqual([
      0,
      [
        ['fixtures/found.json', 'as-expected'],
        ['fixtures/found.json (as on the base)', 'as-expected'],
      ],
    ]);
  });
});

test.each([
  ['the runs folder is not empty', { replay: 'recordings', runs: 'fixtures' }, 'replay-runs'],
  ['there are no recordings', { replay: 'none', runs: 'replayed' }, 'recording-missing'],
  ['stored runs are judged', { replay: 'recordings', mode: 'reverify' }, 'input-value'],
])('returns 2 when %s', async (_what, inputs, code) => {
  const on = await stage({ files: { ...SILENT, ...base } });
  const done = await performPull(on, propose(on, TWO), { inputs });
  expect(done.code).toBe(2);
  expect(done.log).toContain(`[${code}]`);
});
