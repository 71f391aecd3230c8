import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Composable, composeJson, hashOf, jsonOf, parseJson } from '../../core/json/index.js';
import type { ProjectFolder } from '../../core/projects/projects.js';
import { startHarness } from '../../core/runner/harness.js';
import { openProjects } from '../../core/runner/open-projects.js';
import { type ReferenceAgent, startReferenceAgent } from '../interop/reference/agent.js';
import { PRINCIPAL, requestFor, sessionWith } from '../interop/session.js';

const module = (name: string): string =>
  `{module: ${JSON.stringify(join(import.meta.dirname, '../../examples/agents', `${name}.js`))}}`;

let bench: Awaited<ReturnType<typeof sessionWith>>;
let service: ReferenceAgent;
let projects: ProjectFolder;
beforeEach(async () => {
  service = await startReferenceAgent('ref.lookup');
  bench = await sessionWith({
    agents: `agents: [${module('draft')}, ${module('orchestrator')}, {url: "${service.url}"}]`,
    permitted: { 'advisor.draft': 'draft', 'orchestrator.stub': 'orchestrate', 'ref.lookup': 'lookup' },
  });
  projects = openProjects({ runs: join(bench.folder, 'runs') });
  await projects.init('birds', {
    inventory: jsonOf([{ title: 'Counts of the project' }]),
    requirements: new Map([['zenodo', jsonOf(['a licence'])]]),
    repository: 'zenodo',
  });
});
afterEach(async () => {
  await bench.close();
  await service.close();
});

async function invoke(
  agentId: string,
  input: Readonly<Record<string, Composable>>,
  more: { readonly conversation?: string; readonly project?: string } = {},
) {
  const members = new Map<string, Composable>(requestFor(agentId, input).entries());
  if (more.conversation !== undefined) members.set('conversation_id', more.conversation);
  const request = parseJson(composeJson(members), { file: 'request' });
  const project = more.project === undefined ? {} : { projectId: more.project };
  return bench.session.conductor.invoke({ request, principal: PRINCIPAL, ...project });
}

const DRAFT = { schema_class: 'DraftRequest', document_kind: 'plan' };
const IN_PROJECT = { conversation: 'c1', project: 'birds' };
const stored = (id: string, file: string) => parseJson(readFileSync(join(bench.folder, 'runs', id, file)), { file });
const problem = (run: Awaited<ReturnType<typeof invoke>>): string =>
  run.envelope.locate('/problem/type')?.string() ?? '';

describe('a run in a project', () => {
  it('drafts from the facts of the project, which are hashed and stored in the place of what was sent', async () => {
    const run = await invoke('advisor.draft', { ...DRAFT, inventory: [{ title: 'Mine' }] }, IN_PROJECT);
    expect(run.grounding.passed).toBe(true);
    expect(run.envelope.get('project_id')?.string()).toBe('birds');
    expect(run.envelope.locate('/payload/body')?.string()).toMatch(/Counts of the project[\s\S]*a licence/);
    const request = stored(run.invocationId, 'request.json');
    expect(request.get('project_id')?.string()).toBe('birds');
    expect(request.text()).not.toContain('Mine');
    const input = request.get('input');
    expect(run.envelope.locate('/evidence/0/content_hash')?.string()).toBe(input && hashOf(input, 'dd-input-json-v1'));
  });

  it('becomes a proposed version, caused by the run, that a later one may revise', async () => {
    const first = await invoke('advisor.draft', DRAFT, IN_PROJECT);
    const second = await invoke('advisor.draft', { ...DRAFT, revises: first.invocationId }, { conversation: 'c1' });
    expect(await projects.versions('birds')).toMatchObject([
      { versionId: first.invocationId, state: 'proposed' },
      { versionId: second.invocationId, state: 'proposed', revises: first.invocationId },
    ]);
  });

  it.each([
    ['names no version', { revises: '01a22d8f-4a37-7177-8b15-7fe7e8bb006d' }],
    ['names nothing like one', { revises: '../../etc' }],
  ])('fails as revision-refused, without payload and evidence, when its draft %s', async (_, more) => {
    const run = await invoke('advisor.draft', { ...DRAFT, ...more }, IN_PROJECT);
    expect(problem(run)).toMatch(/revision-refused$/);
    expect(run.envelope.locate('/problem/http_status')?.integer()).toBe(409);
    for (const member of ['payload', 'payload_schema', 'evidence']) expect(run.envelope.has(member)).toBe(false);
    expect(stored(run.invocationId, 'envelope.json').text()).toBe(run.envelope.text());
    expect(await projects.versions('birds')).toEqual([]);
  });

  it('fails as revision-refused when the version is of another kind', async () => {
    const first = await invoke('advisor.draft', DRAFT, IN_PROJECT);
    const letter = { ...DRAFT, document_kind: 'letter', revises: first.invocationId };
    expect(problem(await invoke('advisor.draft', letter, { conversation: 'c1' }))).toMatch(/revision-refused$/);
    expect(await projects.versions('birds')).toHaveLength(1);
  });

  it('is sent to the agent without the project', async () => {
    const run = await invoke('ref.lookup', { schema_class: 'Lookup', term: 'm' }, IN_PROJECT);
    expect(run.envelope.get('project_id')?.string()).toBe('birds');
    expect(service.calls[0]?.body).not.toContain('birds');
  });

  it('hands its project on to the runs that it delegates', async () => {
    const harness = await startHarness(bench.session, { host: '127.0.0.1', port: 0 });
    const task = { agent_id: 'advisor.draft', input: { ...DRAFT, inventory: [{ title: 'Mine' }] } };
    const run = await invoke('orchestrator.stub', { schema_class: 'Assignment', tasks: [task] }, IN_PROJECT);
    await harness.close();
    const [version] = await projects.versions('birds');
    const child = stored(version?.versionId ?? '', 'envelope.json');
    expect(child.get('project_id')?.string()).toBe('birds');
    expect(child.get('conversation_id')?.string()).toBe('c1');
    expect(child.get('parent_invocation_id')?.string()).toBe(run.invocationId);
    expect(version?.document.text()).not.toContain('Mine');
  });

  it('keeps its facts to itself where the conversation belongs to none', async () => {
    const run = await invoke('advisor.draft', { ...DRAFT, inventory: [{ title: 'Mine' }] }, { conversation: 'c9' });
    expect(run.envelope.has('project_id')).toBe(false);
    expect(run.envelope.locate('/payload/body')?.string()).toContain('Mine');
    expect(await projects.versions('birds')).toEqual([]);
  });

  it.each([
    ['the project is unknown', { conversation: 'c', project: 'wasps' }, 'project-unknown'],
    ['there is no conversation', { project: 'birds' }, 'project-conversation'],
  ])('is refused, and nothing stored, when %s', async (_, more, code) => {
    await expect(invoke('advisor.draft', DRAFT, more)).rejects.toMatchObject({ code, blame: 'caller' });
    expect(readdirSync(join(bench.folder, 'runs')).filter((name) => name.length === 36)).toEqual([]);
  });

  it('is refused when the request itself names a project', async () => {
    const members = [...requestFor('advisor.draft', DRAFT).entries(), ['project_id', 'birds'] as const];
    const request = parseJson(composeJson(new Map<string, Composable>(members)), { file: 'request' });
    await expect(bench.session.conductor.invoke({ request, principal: PRINCIPAL })).rejects.toMatchObject({
      code: 'request-reserved',
    });
  });
});
