import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith, grounding, ROOT } from './grounding.js';
import { PRINCIPAL } from './workshop.js';

const DRAFT = { schema_class: 'DraftRequest', document_kind: 'plan' };

function workshop(): string {
  const folder = folderWith({
    'agents.yaml': `agents: [{module: ${JSON.stringify(join(ROOT, 'examples/agents/draft.js'))}}]`,
    'sources.yaml': 'sources: []\n',
    'input.json': JSON.stringify(DRAFT),
    'inventory.json': '[{"title": "Counts"}]',
    'requirements.json': '["a licence"]',
  });
  mkdirSync(join(folder, 'profiles'));
  writeFileSync(join(folder, 'profiles/default.yaml'), 'profile_id: t\nversion: 1\nagents: {advisor.draft: draft}\n');
  return folder;
}

describe('grounding project', () => {
  it('makes a project, whose drafts it lists and accepts', async () => {
    const cwd = workshop();
    const call = (...args: string[]) => grounding(args, { cwd, env: PRINCIPAL });
    const facts = [
      '--inventory',
      'inventory.json',
      '--requirements',
      'zenodo=requirements.json',
      '--repository',
      'zenodo',
    ];
    expect(await call('project', 'init', 'birds', ...facts)).toMatchObject({ code: 0, stderr: '' });
    const invoke = ['invoke', '--agent', 'advisor.draft', '--input', 'input.json', '--conversation', 'c'];
    const first = await call(...invoke, '--project', 'birds');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const { invocation_id, payload } = JSON.parse(first.stdout) as { invocation_id: string; payload: { body: string } };
    expect(payload.body).toContain('Counts');
    const shown = await call('project', 'show', 'birds', '--format', 'json');
    expect(JSON.parse(shown.stdout)).toMatchObject({
      project_id: 'birds',
      repository: 'zenodo',
      documents: [{ version_id: invocation_id, state: 'proposed' }],
    });
    const accepted = await call('project', 'accept', 'birds', invocation_id);
    expect(accepted.code).toBe(0);
    expect(accepted.stdout).toMatch(new RegExp(`${invocation_id}.*accepted`));
    expect(await call('project', 'accept', 'birds', invocation_id)).toMatchObject({ code: 2 });
    expect(await call(...invoke, '--project', 'bees')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('[project-unknown]'),
    });
  });

  it('writes nothing when what is said of it could not be', async () => {
    const cwd = workshop();
    const ended = await grounding(['project', 'init', 'birds', '--output', 'nowhere/shown.txt'], {
      cwd,
      env: PRINCIPAL,
    });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('[output-unwritable]') });
    expect(existsSync(join(cwd, 'projects'))).toBe(false);
  });

  it.each([
    ['the project is unknown', ['show', 'birds'], 'project-unknown'],
    ['there is nothing of that kind to do', ['sell', 'birds'], 'usage'],
    ['no version is named', ['accept', 'birds'], 'usage'],
    ['a version is named for nothing', ['show', 'birds', 'v'], 'usage'],
    ['a pair is none', ['init', 'birds', '--requirements', 'zenodo'], 'usage'],
    ['a fact is given to show', ['show', 'birds', '--repository', 'zenodo'], 'usage'],
    ['a fact is given to accept', ['accept', 'birds', 'v', '--requirements', 'zenodo=requirements.json'], 'usage'],
    [
      'a repository is given twice',
      ['init', 'birds', '--requirements', 'a=inventory.json', '--requirements', 'a=requirements.json'],
      'usage',
    ],
    ['a file is missing', ['init', 'birds', '--inventory', 'nowhere.json'], 'input-missing'],
  ])('ends with 2 when %s', async (_, args, code) => {
    const ended = await grounding(['project', ...args], { cwd: workshop(), env: PRINCIPAL });
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`[${code}]`) });
  });
});
