import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/io/clock.js';
import { diskProjectFiles } from '../../core/io/project-files.js';
import { jsonOf } from '../../core/json/index.js';
import { ProjectFolder } from '../../core/projects/projects.js';

const ONE = '01a22d8f-4a37-7177-8b15-7fe7e8bb006d';
const TWO = '01a22d8f-4a39-742e-b0fe-149352ea69cf';

let root: string;
let stored: Set<string>;
let projects: ProjectFolder;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'grounding-projects-'));
  stored = new Set([ONE, TWO]);
  projects = new ProjectFolder({
    files: diskProjectFiles(root),
    clock: systemClock(),
    isStored: async (id) => stored.has(id),
  });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const requirements = new Map([['zenodo', jsonOf(['a licence'])]]);
const draft = (more: object = {}) => jsonOf({ schema_class: 'DraftRequest', document_kind: 'plan', ...more } as never);
const document = (more: object = {}) =>
  jsonOf({ schema_class: 'Document', document_kind: 'plan', body: 'b', grounded_on: [], ...more } as never);
const propose = (invocationId: string, more: object = {}) =>
  projects.propose('birds', { invocationId, payload: document(more) });

describe('placeFacts', () => {
  it('puts inventory and requirements of the chosen repository in the place of what was sent, and leaves the rest', async () => {
    await projects.init('birds', { inventory: jsonOf([{ title: 'x' }]), requirements, repository: 'zenodo' });
    const placed = await projects.placeFacts('birds', draft({ inventory: 'mine', requirements: 'mine', revises: ONE }));
    expect(JSON.parse(placed.text())).toEqual({
      schema_class: 'DraftRequest',
      document_kind: 'plan',
      revises: ONE,
      inventory: [{ title: 'x' }],
      requirements: ['a licence'],
    });
  });

  it('removes a slot for which the project has no value', async () => {
    await projects.init('birds', { requirements });
    const placed = await projects.placeFacts('birds', draft({ inventory: 'mine', requirements: 'mine' }));
    expect(JSON.parse(placed.text())).toEqual({ schema_class: 'DraftRequest', document_kind: 'plan' });
  });

  it('leaves every other class as it is', async () => {
    await projects.init('birds', { inventory: jsonOf([]), requirements });
    const message = jsonOf({ schema_class: 'Message', inventory: 'mine' });
    expect(await projects.placeFacts('birds', message)).toBe(message);
  });
});

describe('init', () => {
  it('keeps what it is not given, so that the latest inventory takes the place of the one before', async () => {
    await projects.init('birds', { inventory: jsonOf([1]), requirements, repository: 'zenodo' });
    await projects.init('birds', { inventory: jsonOf([2]), requirements: new Map([['dryad', jsonOf(['b'])]]) });
    const facts = await projects.facts('birds');
    expect(facts.inventory?.text()).toMatch(/2/);
    expect([...facts.requirements.keys()]).toEqual(['zenodo', 'dryad']);
    expect(facts.repository).toBe('zenodo');
    expect(readdirSync(join(root, 'birds'))).toEqual(['project.json']);
  });

  it.each(['', '..', '.hidden', 'a/b', 'Birds', 'a'.repeat(65), 'end.', '__proto__'])(
    'refuses the id %j',
    async (id) => {
      await expect(projects.init(id, { requirements })).rejects.toMatchObject({ code: 'project-unknown' });
      await expect(projects.facts(id)).rejects.toMatchObject({ code: 'project-unknown' });
    },
  );

  it.each([
    ['not JSON', '{'],
    ['of another project', '{"project_id": "bees"}'],
    ['no object', '[]'],
  ])('refuses a project.json that is %s', async (_, text) => {
    mkdirSync(join(root, 'birds'));
    writeFileSync(join(root, 'birds/project.json'), text);
    await expect(projects.facts('birds')).rejects.toMatchObject({ code: expect.stringMatching(/malformed|syntax/) });
  });

  it('does not follow a link', async () => {
    mkdirSync(join(root, 'birds'));
    writeFileSync(join(root, 'elsewhere.json'), '{"project_id": "birds"}');
    symlinkSync(join(root, 'elsewhere.json'), join(root, 'birds/project.json'));
    await expect(projects.facts('birds')).rejects.toThrow();
  });
});

describe('propose and accept', () => {
  beforeEach(async () => void (await projects.init('birds', { requirements })));

  it('adds a proposed version that a person accepts once', async () => {
    expect(await propose(ONE)).toMatchObject({ kind: 'added' });
    expect(await projects.versions('birds')).toMatchObject([
      { versionId: ONE, documentKind: 'plan', state: 'proposed' },
    ]);
    await projects.accept('birds', { versionId: ONE, by: 'mailto:a@example.org' });
    expect(await projects.versions('birds')).toMatchObject([{ state: 'accepted' }]);
    await expect(projects.accept('birds', { versionId: ONE, by: 'x' })).rejects.toMatchObject({
      code: 'version-unknown',
    });
  });

  it('adds a version that revises one of its kind', async () => {
    await propose(ONE);
    expect(await propose(TWO, { revises: ONE })).toMatchObject({ kind: 'added' });
    expect((await projects.versions('birds')).map(({ revises }) => revises)).toEqual([undefined, ONE]);
  });

  it.each<[string, object]>([
    ['no version of the project', { revises: TWO }],
    ['no id at all', { revises: '../project' }],
    ['a version of another kind', { revises: ONE, document_kind: 'letter' }],
    ['something that is no text', { revises: 7 }],
    ['no kind', { document_kind: 3 }],
  ])('refuses a document that revises %s, and adds nothing', async (_, more) => {
    await propose(ONE);
    expect(await propose(TWO, more)).toMatchObject({ kind: 'refused' });
    expect(await projects.versions('birds')).toHaveLength(1);
  });

  it('takes back what it added', async () => {
    const added = await propose(ONE);
    if (added.kind === 'added') await added.undo();
    expect(await projects.versions('birds')).toEqual([]);
  });

  it('does not count a version whose run was never stored, as after a crash', async () => {
    await propose(ONE);
    stored.clear();
    expect(await projects.versions('birds')).toEqual([]);
    expect(await propose(TWO, { revises: ONE })).toMatchObject({ kind: 'refused' });
    await expect(projects.accept('birds', { versionId: ONE, by: 'x' })).rejects.toMatchObject({
      code: 'version-unknown',
    });
    expect(await propose(ONE)).toMatchObject({ kind: 'added' });
  });

  it('leaves other payloads alone', async () => {
    const payload = jsonOf({ schema_class: 'Reply', document_kind: 'plan' });
    expect(await projects.propose('birds', { invocationId: ONE, payload })).toEqual({ kind: 'none' });
  });
});

describe('enter', () => {
  beforeEach(async () => {
    await projects.init('birds', { requirements });
    await projects.init('bees', { requirements });
  });
  const enter = async (conversationId?: string, named?: string) => {
    const entry = await projects.enter({
      ...(conversationId === undefined ? {} : { conversationId }),
      ...(named === undefined ? {} : { named }),
    });
    await entry.record();
    return entry.projectId;
  };

  it('gives a conversation the project that it started with, and no other', async () => {
    expect(await enter('c/1', 'birds')).toBe('birds');
    expect(await enter('c/1')).toBe('birds');
    expect(await enter('c/1', 'birds')).toBe('birds');
    await expect(enter('c/1', 'bees')).rejects.toMatchObject({ code: 'conversation-of-another' });
    expect(await enter('c/2')).toBeNull();
  });

  it('refuses a project for a conversation that started without one', async () => {
    expect(await enter('c')).toBeNull();
    await expect(enter('c', 'birds')).rejects.toMatchObject({ code: 'conversation-of-another' });
  });

  it('lets one of two processes win that start a conversation at once', async () => {
    const [one, two] = [
      await projects.enter({ conversationId: 'c', named: 'birds' }),
      await projects.enter({ conversationId: 'c', named: 'bees' }),
    ];
    await one.record();
    await expect(two.record()).rejects.toMatchObject({ code: 'conversation-of-another' });
  });

  it('refuses a project without a conversation, and one that there is not', async () => {
    await expect(enter(undefined, 'birds')).rejects.toMatchObject({ code: 'project-conversation' });
    await expect(enter('c', 'wasps')).rejects.toMatchObject({ code: 'project-unknown' });
  });

  it('makes no folder for who has no projects', async () => {
    rmSync(root, { recursive: true });
    expect(await enter('c')).toBeNull();
    expect(() => readdirSync(root)).toThrow();
  });
});
