// Start-up of `grounding lint` on a small run, against a Node that does nothing.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** A stored run of the vectors: the first by name, as small as they all are. */
function smallRun() {
  const runs = join(root, 'test', 'vectors', 'stored-runs', 'runs');
  const [first] = readdirSync(runs).sort();
  if (first === undefined) throw new Error('there is no stored run to lint');
  return [join(runs, first, 'spans.jsonl'), join(runs, first, 'envelope.json')];
}

function milliseconds(/** @type {readonly string[]} */ args) {
  const start = process.hrtime.bigint();
  const child = spawnSync(process.execPath, args, { stdio: 'ignore' });
  const time = Number(process.hrtime.bigint() - start) / 1e6;
  if (child.status === null || child.status > 1) throw new Error(`node ${args.join(' ')} ended with ${child.status}`);
  return time;
}

/** The two are measured in turns and by their medians, so that a busy machine slows both alike. */
export async function run({ quick = false } = {}) {
  const lint = [join(root, 'build', 'cli.js'), 'lint', ...smallRun()];
  const nothing = ['-e', '0'];
  milliseconds(lint);
  const pairs = Array.from({ length: quick ? 11 : 41 }, () => [milliseconds(nothing), milliseconds(lint)]);
  const median = (/** @type {0 | 1} */ side) =>
    pairs.map((pair) => pair[side] ?? Number.NaN).sort((a, b) => a - b)[pairs.length >> 1] ?? Number.NaN;
  const [base, ours] = [median(0), median(1)];
  return [
    {
      name: 'grounding lint of a small run, start to end, over node -e 0',
      value: `${(ours / base).toFixed(2)} times`,
      target: 'under 3 times',
    },
    {
      name: 'grounding lint of a small run',
      value: `${ours.toFixed(0)} ms (node -e 0: ${base.toFixed(0)} ms)`,
      target: null,
    },
  ];
}
