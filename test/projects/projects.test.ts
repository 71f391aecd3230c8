import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/io/clock.js';
import { diskProjectFiles } from '../../core/io/project-files.js';
import { composeJson, type JsonNode, jsonOf } from '../../core/json/index.js';
import { ProjectFolder } from '../../core/projects/projects.js';

const ONE = '01a22d8f-4a37-7177-8b15-7fe7e8bb006d';
const TWO = '01a22d8f-4a39-742e-b0fe-149352ea69cf';

let root: string;
let stored: Set<string>;
/** What the stored runs ended with. */
let ended: Map<string, JsonNode>;
let projects: ProjectFolder;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'grounding-projects-'));
  stored = new Set([ONE, TWO]);
  ended = new Map();
  projects = new ProjectFolder({
    files: diskProjectFiles(root),
    clock: systemClock(),
    storedEnvelope: async (id) => (stored.has(id) ? envelopeOf(id) : null),
  });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const envelopeOf = (id: string, more: object = {}): Uint8Array =>
  composeJson({
    invocation_id: id,
    project_id: 'birds',
    outcome: { status: 'succeeded' },
    payload: ended.get(id) ?? {},
    ...more,
  });

const requirements = new Map([['zenodo', jsonOf(['a licence'])]]);
const draft = (more: object = {}) => jsonOf({ schema_class: 'DraftRequest', document_kind: 'plan', ...more } as never);
const document = (more: object = {}) =>
  jsonOf({ schema_class: 'Document', document_kind: 'plan', body: 'b', grounded_on: [], ...more } as never);
const propose = (invocationId: string, more: object = {}) => {
  ended.set(invocationId, document(more));
  return projects.propose('birds', { invocationId, payload: document(more) });
};

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
    await expect(projects.facts('birds')).rejects.toMatchObject({
      code: expect.stringMatching(/malformed|syntax/),
      place: { file: join(root, 'birds/project.json') },
    });
  });

  it('loses nothing of what two at once are given', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `r${i}`);
    await Promise.all(names.map((name) => projects.init('birds', { requirements: new Map([[name, jsonOf([])]]) })));
    expect([...(await projects.facts('birds')).requirements.keys()].sort()).toEqual(names);
    expect(readdirSync(join(root, 'birds'))).toEqual(['project.json']);
  });

  it.each<[string, (path: string) => void]>([
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
    ['a folder', (path) => mkdirSync(path)],
    ['a link', (path) => symlinkSync('/dev/zero', path)],
  ])('refuses a project.json that is %s, and does not wait for it', async (_, make) => {
    mkdirSync(join(root, 'birds'));
    make(join(root, 'birds/project.json'));
    await expect(projects.facts('birds')).rejects.toMatchObject({
      code: 'project-malformed',
      blame: 'configuration',
      place: { file: join(root, 'birds/project.json') },
    });
  });

  it.each<[string, (path: string) => void]>([
    ['a link', (path) => symlinkSync(tmpdir(), path)],
    ['a file', (path) => writeFileSync(path, '')],
  ])('neither reads nor writes where the folder of the project is %s', async (_, make) => {
    make(join(root, 'birds'));
    await expect(projects.facts('birds')).rejects.toMatchObject({
      code: 'project-malformed',
      place: { file: join(root, 'birds') },
    });
    await expect(projects.init('birds', { requirements })).rejects.toMatchObject({ code: 'project-malformed' });
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
    stored.clear();
    if (added.kind === 'added') await added.undo();
    expect(readdirSync(join(root, 'birds/documents'))).toEqual([]);
  });

  it('keeps what it added when the run is stored although writing it failed', async () => {
    const added = await propose(ONE);
    if (added.kind === 'added') await added.undo();
    expect(await projects.versions('birds')).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['failed', { outcome: { status: 'failed' }, payload: undefined }],
    ['abstained', { outcome: { status: 'abstained' }, payload: undefined }],
    ['belongs to another project', { project_id: 'bees' }],
    ['belongs to none', { project_id: undefined }],
    ['ended with another document', { payload: { schema_class: 'Document', document_kind: 'plan' } }],
  ])('does not count what a killed attempt left once the run that is stored under its id %s', async (_, run) => {
    await propose(ONE);
    const again = new ProjectFolder({
      files: diskProjectFiles(root),
      clock: systemClock(),
      storedEnvelope: async (id) => envelopeOf(id, run),
    });
    expect(await again.versions('birds')).toEqual([]);
    await expect(again.accept('birds', { versionId: ONE, by: 'x' })).rejects.toMatchObject({ code: 'version-unknown' });
  });

  it.each([
    ['empty', ''],
    ['of another version', `{"version_id": "${TWO}"}`],
  ])('takes no acceptance that is %s for one', async (_, text) => {
    await propose(ONE);
    mkdirSync(join(root, 'birds/accepted'));
    writeFileSync(join(root, `birds/accepted/${ONE}.json`), text);
    await expect(projects.versions('birds')).rejects.toMatchObject({ code: expect.stringMatching(/malformed|^json-/) });
  });

  it('writes nothing outside of a project that there is', async () => {
    for (const id of ['../elsewhere', 'wasps'])
      await expect(projects.propose(id, { invocationId: ONE, payload: document() })).rejects.toMatchObject({
        code: 'project-unknown',
      });
    expect(readdirSync(root)).toEqual(['birds']);
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

  it.each([
    ['half-written', ''],
    ['of another conversation', '{"conversation_id": "d", "project_id": "birds"}'],
    ['without a word on the project', '{"conversation_id": "c"}'],
    ['with something else than an id', '{"conversation_id": "c", "project_id": 5}'],
    ['with a path', '{"conversation_id": "c", "project_id": "../birds"}'],
    ['with a project that is gone', '{"conversation_id": "c", "project_id": "wasps"}'],
  ])('refuses the record of a conversation that is %s', async (_, text) => {
    await enter('c', 'birds');
    const [name = ''] = readdirSync(join(root, '.conversations'));
    writeFileSync(join(root, '.conversations', name), text);
    await expect(enter('c')).rejects.toMatchObject({ code: expect.stringMatching(/^project-|^json-/) });
  });

  it('makes no folder for who has no projects', async () => {
    rmSync(root, { recursive: true });
    expect(await enter('c')).toBeNull();
    expect(() => readdirSync(root)).toThrow();
  });
});
