import { expect, test } from 'vitest';
import { fixture } from './project.js';
import { commentsOn, performPull, propose, READ_ONLY, stage } from './stage.js';

test('passes a pull request whose runs are in order', async () => {
  const on = await stage();
  const pull = propose(on, { 'fixtures/two.json': fixture({ fetch: ['rec:2'] }) });
  const done = await performPull(on, pull);
  expect(done.log).toBe('');
  expect(done).toMatchObject({ code: 0, outputs: { conclusion: 'passed', runs: '2', violations: '0' } });
});
