import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../core/cli/commands.js';
import { folderWith, grounding, ROOT } from './grounding.js';
import { PRINCIPAL } from './workshop.js';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The walk-through's code blocks, in order, and the files that its text gives them. */
const FILES = [
  'my-agent.mjs',
  'agents.yaml',
  'profiles/default.yaml',
  'records.jsonl',
  'fixtures/cuxhaven.json',
  'fixtures/cuxhaven.expect.yaml',
] as const;

function walkThrough(): readonly string[] {
  const [, section = ''] = README.split('## From an agent of yours to a judged run');
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(/^```\w+\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '');
}

test('judges a run, verified against its pin, when the walk-through is followed', async () => {
  const blocks = walkThrough();
  expect(blocks.length).toBe(FILES.length);
  const folder = folderWith({});
  FILES.forEach((name, at) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), blocks[at] ?? '');
  });
  // What `npm install grounding-gate` leaves.
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/grounding-gate'));

  const call = { cwd: folder, env: PRINCIPAL };
  expect(await grounding(['pin', 'records.jsonl', '--ref', 'records-1', '--id-field', 'id'], call)).toMatchObject({
    code: 0,
  });
  const ended = await grounding(['run'], call);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toMatch(/^ok +fixtures\/cuxhaven\.json +my\.finder +retrieval +succeeded +passed +1 verified/m);
  const [run = ''] = readdirSync(join(folder, 'runs')).filter((name) => /^[0-9a-f]{8}-/.test(name));
  const stored = (name: string): string => join('runs', run, name);
  expect(await grounding(['lint', stored('spans.jsonl'), stored('envelope.json')], call)).toMatchObject({ code: 0 });
  expect(await grounding(['verify', stored('envelope.json')], call)).toMatchObject({ code: 0 });
});

test('names every command, every variable of the settings, and links that lead somewhere', () => {
  for (const { name } of COMMANDS) expect(README).toContain(`grounding ${name}`);
  for (const variable of [
    'DD_PROFILE',
    'DD_SOURCES_CONFIG',
    'DD_AGENTS_CONFIG',
    'DD_RUNS_DIR',
    'DD_WRITE_CRATE',
    'DD_PRINCIPAL_ID',
  ])
    expect(README).toContain(variable);
  const links = [...README.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? '');
  expect(links.length).toBeGreaterThan(3);
  for (const link of links) expect(() => readdirSync(dirname(join(ROOT, link)))).not.toThrow();
});
