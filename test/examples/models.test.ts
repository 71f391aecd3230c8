import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { folderWith, grounding, ROOT } from '../cli/grounding.js';

const ENV = { DD_PRINCIPAL_ID: 'mailto:test@example.org', DD_PRINCIPAL_NAME: 'Test' };
const OLLAMA = 'http://127.0.0.1:11434/v1';

const server = spawn(process.execPath, [join(ROOT, 'examples/models/server.js'), '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
afterAll(() => server.kill());
const [printed] = (await once(server.stdout, 'data')) as [Buffer];
const upstream = printed.toString('utf8').trim();

/** Runs the example with its model server elsewhere, and a change to its agent. */
async function run(change = (agent: string): string => agent) {
  const agents = readFileSync(join(ROOT, 'examples/agents-witnessed.yaml'), 'utf8');
  expect(agents).toContain(OLLAMA);
  const own = (name: string) => readFileSync(join(ROOT, 'examples/agents', name), 'utf8');
  const folder = folderWith({
    'agents.yaml': `agents:\n${agents.slice(agents.indexOf('  - module: agents/summary.js'))}`
      .replace(OLLAMA, upstream)
      .replace('agents/summary.js', 'summary.js'),
    'summary.js': change(own('summary.js')).replace('grounding-gate/agent', join(ROOT, 'build/agent.js')),
    'class-schema.js': own('class-schema.js'),
    'package.json': '{"type":"module"}',
  });
  const runs = join(folder, 'runs');
  const files = ['--agents', join(folder, 'agents.yaml'), '--profile', 'profiles/witnessed.yaml', '--runs', runs];
  const ended = await grounding(['run', 'examples/models', ...files, '--format', 'json'], { env: ENV });
  expect(ended.stderr).toBe('');
  const id = readdirSync(runs).find((name) => /^0/.test(name)) ?? '';
  const stored = (name: string) => readFileSync(join(runs, id, name), 'utf8');
  return { ...ended, results: JSON.parse(ended.stdout).results, stored };
}

it('the model call of the example is seen, under the name that was asked and the one that answered', async () => {
  const { code, results, stored } = await run();
  expect(code).toBe(0);
  expect(results).toMatchObject([{ state: 'as-expected', basis: { model_calls: { witnessed: 1, declared: 1 } } }]);
  expect(stored('grounding.txt')).toMatch(/\nwitness: .*; model calls: 1 witnessed, 1 declared\n$/);
  const seen = stored('spans.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).attributes)
    .filter((attributes) => attributes['dd.witnessed'] === true);
  expect(seen).toMatchObject([{ 'dd.model_id': 'stand-in-2026-11-30', 'dd.requested_model_id': 'stand-in' }]);
});

it('the example breaks W2 when it declares another model than it asks', async () => {
  const { results } = await run((agent) => agent.replace('ctx.chat(model,', "ctx.chat('a-better-one',"));
  expect(results[0].grounding.rules).toEqual(['W2']);
});
