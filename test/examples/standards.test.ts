import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Composable } from '../../core/json/index.js';
import { deadUrl, listen } from './loopback.js';
import { copyOfExamples, type ExampleRun, openWorkbench, root, type Workbench } from './workbench.js';

const OCEAN = {
  schema_class: 'DatasetProfile',
  title: 'Sea surface temperature',
  keywords: ['ocean', 'climate', 'forecast'],
  subjects: ['Oceanography', 'Earth Science'],
  formats: ['netCDF'],
};
const CF = 'FAIRsharing.hp9s46';
const NETCDF = 'FAIRsharing.995b08';

type FairsharingRecord = Record<string, unknown> & { fairsharing_id: string; numeric_id: string; status: string };

const SELECTION = readFileSync(join(root, 'examples/sources/fairsharing/snapshot.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as FairsharingRecord);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

let pinned: Workbench;
beforeAll(async () => {
  pinned = await openWorkbench();
});
afterAll(() => pinned.close());

/** One run, over the pinned selection unless `options` say otherwise. */
async function advise(input: Composable, options?: Parameters<typeof openWorkbench>[0]): Promise<ExampleRun> {
  if (options === undefined) return pinned.run('advisor.standards', input);
  const workbench = await openWorkbench(options);
  cleanups.push(() => workbench.close());
  return workbench.run('advisor.standards', input);
}

const cited = ({ plain }: ExampleRun): unknown[] => (plain.evidence ?? []).map((item) => item['source_id']);
const reads = ({ spans }: ExampleRun): unknown[] =>
  spans.filter(({ name }) => name === 'retrieval').map(({ attributes }) => attributes['dd.source_id']);

describe('advisor.standards', () => {
  it('grounds every recommendation on one record that it read, in the pinned selection', async () => {
    const run = await advise(OCEAN);
    expect(run.plain.outcome.status).toBe('succeeded');
    expect(run.grounding).toMatchObject({ passed: true, mode: 'retrieval', chats: 0 });
    expect(run.sources).toMatchObject({ passed: true, unresolved: [] });
    expect(cited(run)).toEqual([CF, NETCDF]);
    expect(reads(run)).toEqual([CF, NETCDF]);
    const recommendations = run.plain.payload?.['recommendations'] as { grounded_on: { source_id: string }[] }[];
    expect(recommendations.map(({ grounded_on }) => grounded_on.map(({ source_id }) => source_id))).toEqual([
      [CF],
      [NETCDF],
    ]);
    expect(run.sources.verified).toBe(2);
    for (const item of run.plain.evidence ?? []) {
      expect(item).toMatchObject({ snapshot_ref: 'fairsharing:2026-09-04', canonicalisation: 'json-sorted-utf8-v1' });
      expect(item['content']).toMatchObject({ fairsharing_id: item['source_id'] });
    }
  });

  it('names no record outside grounded_on', async () => {
    const run = await advise(OCEAN);
    const told = JSON.stringify(run.plain.payload, (key, value) =>
      key === 'grounded_on' ? undefined : value,
    ).toLowerCase();
    for (const id of cited(run)) {
      const record = SELECTION.find(({ fairsharing_id }) => fairsharing_id === id);
      for (const key of ['fairsharing_id', 'doi', 'name', 'abbreviation', 'homepage'])
        expect(told).not.toContain(String(record?.[key]).toLowerCase());
    }
  });

  it('leaves out a record that the altered copy calls deprecated', async () => {
    const copy = copyOfExamples();
    cleanups.push(copy.remove);
    const snapshot = join(copy.folder, 'examples/sources/fairsharing/snapshot.jsonl');
    const altered = SELECTION.map((record) =>
      record.fairsharing_id === CF ? { ...record, status: 'deprecated' } : record,
    );
    writeFileSync(snapshot, `${altered.map((record) => JSON.stringify(record)).join('\n')}\n`);
    const run = await advise(OCEAN, { agents: join(copy.folder, 'agents.yaml') });
    expect(run.plain.outcome.status).toBe('succeeded');
    expect(cited(run)).toContain(NETCDF);
    expect([...cited(run), ...reads(run)]).not.toContain(CF);
  });

  it('is withheld by S2 when the copy that it reads is not the pinned one', async () => {
    const copy = copyOfExamples();
    cleanups.push(copy.remove);
    const snapshot = join(copy.folder, 'examples/sources/fairsharing/snapshot.jsonl');
    const altered = SELECTION.map((record) =>
      record.fairsharing_id === CF ? { ...record, description: 'Ocean climate forecast.' } : record,
    );
    writeFileSync(snapshot, `${altered.map((record) => JSON.stringify(record)).join('\n')}\n`);
    const run = await advise(OCEAN, { agents: join(copy.folder, 'agents.yaml') });
    expect(run.plain.outcome.status).toBe('failed');
    expect(run.plain.payload).toBeUndefined();
    expect([...run.grounding.rules, ...run.sources.rules]).toEqual(['S2']);
  });

  it.each([
    ['insufficient_input', { schema_class: 'DatasetProfile' }],
    ['insufficient_input', { schema_class: 'DatasetProfile', title: ' the data of ', keywords: [] }],
    ['no_qualifying_resource', { schema_class: 'DatasetProfile', title: 'String quartets', keywords: ['violin'] }],
  ])('abstains with %s when the profile is %j', async (reason, profile) => {
    const run = await advise(profile);
    expect(run.plain.outcome).toMatchObject({ status: 'abstained', reason_code: reason });
    expect(run.grounding.passed).toBe(true);
  });

  it.each([
    ['no more than it is asked for', 1],
    ['all that clear the floor', 10],
  ])('recommends %s', async (_, at_most) => {
    const run = await advise({ ...OCEAN, at_most });
    expect(cited(run)).toHaveLength(at_most === 1 ? 1 : 2);
  });
});

/** A registry's answer for one record, in the shape of FAIRsharing's public route. */
function answerFor(record: FairsharingRecord, changes: object = {}): unknown {
  const { doi, name, abbreviation, status, description, homepage, record_type, subjects, domains, numeric_id } = record;
  const metadata = { doi, name, abbreviation, status, description, homepage, ...changes };
  return {
    data: { id: numeric_id, type: 'fairsharing_records', attributes: { record_type, subjects, domains, metadata } },
  };
}

async function registry(
  answer: (record: FairsharingRecord) => unknown,
): Promise<{ url: string; asked: { path: string }[] }> {
  const server = await listen(({ path }) => {
    const record = SELECTION.find(({ numeric_id }) => path === `/fairsharing_records/${numeric_id}`);
    return record === undefined ? { status: 404, body: {} } : { status: 200, body: answer(record) };
  });
  cleanups.push(server.close);
  return server;
}

describe('advisor.standards with FAIRSHARING_URL', () => {
  const live = (url: string) => ({
    agents: join(root, 'examples/agents-live.yaml'),
    environment: { FAIRSHARING_URL: url, QUALITY_MODEL_URL: 'x' },
  });

  it('cites live records, which no pinned copy bears out', async () => {
    const server = await registry((record) => answerFor(record));
    const run = await advise(OCEAN, live(server.url));
    expect(run.plain.outcome.status).toBe('succeeded');
    expect(run.grounding.passed).toBe(true);
    expect(run.sources).toMatchObject({
      verified: 0,
      unresolved: [
        { sourceId: CF, snapshotRef: null },
        { sourceId: NETCDF, snapshotRef: null },
      ],
    });
    expect(server.asked).toHaveLength(2);
  });

  it('shows what the registry says now', async () => {
    const server = await registry((record) => answerFor(record, { name: 'Renamed since' }));
    const run = await advise(OCEAN, live(server.url));
    expect(run.grounding.passed).toBe(true);
    expect((run.plain.evidence ?? []).map((item) => (item['content'] as { name: string }).name)).toEqual([
      'Renamed since',
      'Renamed since',
    ]);
  });

  it('leaves out a record that was deprecated since', async () => {
    const server = await registry((record) =>
      answerFor(record, record.fairsharing_id === CF ? { status: 'deprecated' } : {}),
    );
    const run = await advise(OCEAN, live(server.url));
    expect(cited(run)).toEqual([NETCDF]);
    expect(reads(run)).toEqual([CF, NETCDF]);
    expect(run.grounding.passed).toBe(true);
  });

  it('abstains with registry_unavailable when nobody listens', async () => {
    const run = await advise(OCEAN, live(await deadUrl()));
    expect(run.plain.outcome).toMatchObject({ status: 'abstained', reason_code: 'registry_unavailable' });
    expect(run.spans.filter(({ name }) => name === 'retrieval').map(({ status }) => status.status_code)).toEqual([
      'ERROR',
    ]);
    expect(run.grounding.passed).toBe(true);
  });

  it.each<[string, (record: FairsharingRecord) => unknown]>([
    ['is no JSON', () => '<html>'],
    ['is empty', () => ({})],
    ['is about another record', (record) => answerFor(record, { doi: '10.25504/FAIRsharing.other' })],
    ['holds a key twice', (record) => JSON.stringify(answerFor(record)).replace('{"data"', '{"data":{},"data"')],
    ['is endless', () => 'x'.repeat(2_000_000)],
    ['lists subjects that are no strings', (record) => answerFor({ ...record, subjects: [1] })],
  ])('abstains with registry_unavailable when the answer %s', async (_, answer) => {
    const server = await registry(answer);
    const run = await advise(OCEAN, live(server.url));
    expect(run.plain.outcome).toMatchObject({ status: 'abstained', reason_code: 'registry_unavailable' });
  });
});
