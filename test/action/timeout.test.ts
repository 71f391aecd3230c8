import { expect, test } from 'vitest';
import { runnerWorld } from '../../action/io/runner.js';
import { runAction } from '../../action/run-action.js';
import { fixture } from './project.js';
import { propose, pullStep, scenery, stage } from './stage.js';

test('concludes the check as timed out when the time is up', async () => {
  const on = await stage();
  const pull = propose(on, { 'fixtures/slow.json': fixture({ wait: 60_000, fetch: ['rec:1'] }) });
  const { environment } = scenery(on, pullStep(on, { pull, inputs: { 'timeout-minutes': '1' } }));
  const before = process.cwd();
  try {
    const world = runnerWorld({ ...process, env: environment, chdir: (folder) => process.chdir(folder) });
    // A minute is the shortest that can be asked for, and too long for a test.
    const onStop: typeof world.onStop = (minutes, listener) => {
      expect(minutes).toBe(1);
      const timer = setTimeout(() => listener('timed_out'), 1_500);
      return () => clearTimeout(timer);
    };
    const outputs = new Map<string, string>();
    const runner = {
      output: (name: string, value: string) => void outputs.set(name, value),
      summary: () => {},
      guard: () => () => [],
    };
    expect(await runAction({ ...world, onStop, runner })).toBe(2);
    expect(outputs.get('conclusion')).toBe('timed_out');
  } finally {
    process.chdir(before);
  }
  expect(on.repository.checks.of(pull.headSha)).toMatchObject([{ status: 'completed', conclusion: 'timed_out' }]);
});
