import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../core/json/index.js';
import { type EnvelopeChanges, sampleRun } from './sample-run.js';
import { stored, temporary } from './support.js';

type Entity = { readonly '@id': string } & Readonly<Record<string, unknown>>;
interface Crate {
  readonly '@context': unknown;
  readonly '@graph': readonly Entity[];
}

const ID = '01a0c455-bf5e-7bd9-8565-7a4793840001';
const FILES = ['request.json', 'envelope.json', 'spans.jsonl', 'grounding.txt', 'sources.txt'];
const PROFILE = 'https://w3id.org/ro/wfrun/process/0.5';

/** Stores a run and gives its crate's folder and document. */
async function crateOf(
  changes: EnvelopeChanges = {},
): Promise<{ folder: string; crate: Crate; entity(id: string): Entity }> {
  const runs = temporary();
  await stored(runs, sampleRun(ID, changes));
  const folder = join(runs, ID, 'crate');
  const crate = JSON.parse(readFileSync(join(folder, 'ro-crate-metadata.json'), 'utf8')) as Crate;
  const entity = (id: string) => {
    const found = crate['@graph'].filter((one) => one['@id'] === id);
    expect(found, id).toHaveLength(1);
    return found[0] ?? { '@id': 'none' };
  };
  return { folder, crate, entity };
}

/** Every `@id` that some property refers to. */
function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value);
  const [only] = members;
  if (members.length === 1 && only?.[0] === '@id') return [String(only[1])];
  return members.flatMap(([, member]) => references(member));
}

const refs = (...ids: string[]) => ids.map((id) => ({ '@id': id }));

describe('the crate of a run', () => {
  it('conforms to RO-Crate 1.1 and to the Process Run Crate profile 0.5', async () => {
    const { crate, entity } = await crateOf();
    expect(crate['@context']).toEqual([
      'https://w3id.org/ro/crate/1.1/context',
      'https://w3id.org/ro/terms/workflow-run/context',
    ]);
    expect(crate['@graph'][0]).toEqual({
      '@id': 'ro-crate-metadata.json',
      '@type': 'CreativeWork',
      conformsTo: { '@id': 'https://w3id.org/ro/crate/1.1' },
      about: { '@id': './' },
    });
    expect(entity(PROFILE)).toEqual({
      '@id': PROFILE,
      '@type': 'CreativeWork',
      name: 'Process Run Crate',
      version: '0.5',
    });
    expect(entity('https://w3id.org/ro/crate/1.1')).toMatchObject({ '@type': 'CreativeWork', version: '1.1' });
  });

  it('describes the root, which names the run, its licence, its date, its files and its action', async () => {
    const { entity } = await crateOf();
    expect(entity('./')).toEqual({
      '@id': './',
      '@type': 'Dataset',
      identifier: ID,
      name: `Run ${ID} of sample.agent`,
      description: expect.stringContaining('sample.agent'),
      datePublished: '2026-11-30T10:00:01.500000Z',
      license: { '@id': '#licence' },
      conformsTo: { '@id': PROFILE },
      hasPart: refs(...FILES),
      mentions: { '@id': `urn:uuid:${ID}` },
    });
    expect(entity('#licence')).toMatchObject({
      '@type': 'CreativeWork',
      name: expect.any(String),
      description: expect.any(String),
    });
  });

  it('describes the action with agent, human, request, results, start, end and status', async () => {
    const { entity } = await crateOf();
    expect(entity(`urn:uuid:${ID}`)).toEqual({
      '@id': `urn:uuid:${ID}`,
      '@type': 'CreateAction',
      name: 'Run of sample.agent 1.2.3',
      description: expect.stringContaining('profile:default@v1'),
      startTime: '2026-11-30T10:00:00.000000Z',
      endTime: '2026-11-30T10:00:01.500000Z',
      agent: { '@id': 'https://orcid.org/0000-0002-1825-0097' },
      instrument: { '@id': '#agent-sample.agent' },
      object: refs('request.json'),
      result: refs('envelope.json', 'spans.jsonl', 'grounding.txt', 'sources.txt', '#outcome'),
      actionStatus: { '@id': 'http://schema.org/CompletedActionStatus' },
    });
    expect(entity('http://schema.org/CompletedActionStatus')).toMatchObject({ '@type': 'ActionStatusType' });
  });

  it('describes the agent as software and the human as a person', async () => {
    const { entity } = await crateOf();
    expect(entity('#agent-sample.agent')).toEqual({
      '@id': '#agent-sample.agent',
      '@type': 'SoftwareApplication',
      name: 'sample.agent',
      softwareVersion: '1.2.3',
      description: 'An agent made up for tests',
    });
    expect(entity('https://orcid.org/0000-0002-1825-0097')).toEqual({
      '@id': 'https://orcid.org/0000-0002-1825-0097',
      '@type': 'Person',
      identifier: 'https://orcid.org/0000-0002-1825-0097',
      name: 'Josiah Carberry',
    });
  });

  it('describes an accountable role as an organization', async () => {
    const { entity } = await crateOf({
      acting_for:
        '{"principal_id":"https://example.org/repo","name":"A repository","principal_kind":"accountable_role","assurance":"asserted"}',
    });
    expect(entity('https://example.org/repo')).toMatchObject({ '@type': 'Organization', name: 'A repository' });
  });

  it('describes the outcome, the reason and whom the run was referred to', async () => {
    const { entity } = await crateOf({
      outcome:
        '{"status":"referred","statement":"Ask","reason_code":"policy_requires_approval","referred_to":"data_steward"}',
    });
    expect(entity('#outcome')).toEqual({
      '@id': '#outcome',
      '@type': 'PropertyValue',
      name: 'status',
      value: 'referred',
      description: 'Ask',
    });
    expect(entity('#reason')).toEqual({
      '@id': '#reason',
      '@type': 'PropertyValue',
      name: 'reason_code',
      value: 'policy_requires_approval',
    });
    expect(entity('#referral')).toEqual({
      '@id': '#referral',
      '@type': 'PropertyValue',
      name: 'referred_to',
      value: 'data_steward',
    });
    expect(entity(`urn:uuid:${ID}`)['actionStatus']).toEqual({ '@id': 'http://schema.org/CompletedActionStatus' });
    expect(entity(`urn:uuid:${ID}`)['error']).toBeUndefined();
  });

  it.each(['failed', 'suspended'])(
    'marks the action as failed with its error when the outcome is %s',
    async (status) => {
      const { entity, crate } = await crateOf({
        outcome: `{"status":"${status}","statement":"It broke"}`,
        payload: undefined,
        problem: '{"type":"https://w3id.org/data-director/problems/agent-error","detail":"it fell over"}',
      });
      const action = entity(`urn:uuid:${ID}`);
      expect(action['actionStatus']).toEqual({ '@id': 'http://schema.org/FailedActionStatus' });
      expect(action['error']).toBe('https://w3id.org/data-director/problems/agent-error: it fell over');
      expect(entity('http://schema.org/FailedActionStatus')).toMatchObject({ '@type': 'ActionStatusType' });
      expect(crate['@graph'].some((one) => one['@id'].endsWith('CompletedActionStatus'))).toBe(false);
    },
  );

  it('names files that are there, with their size and digest, and no others are there', async () => {
    const { folder, entity } = await crateOf();
    expect(readdirSync(folder).sort()).toEqual([...FILES, 'ro-crate-metadata.json'].sort());
    for (const file of FILES) {
      const bytes = readFileSync(join(folder, file));
      expect(entity(file)).toEqual({
        '@id': file,
        '@type': 'File',
        name: expect.any(String),
        description: expect.any(String),
        encodingFormat: expect.stringMatching(/^(application|text)\//),
        contentSize: String(statSync(join(folder, file)).size),
        sha256: sha256Hex(bytes),
      });
    }
  });

  it('holds every entity that it refers to, each once, whatever the run', async () => {
    const clashes = [
      './',
      'ro-crate-metadata.json',
      PROFILE,
      `urn:uuid:${ID}`,
      'http://schema.org/CompletedActionStatus',
    ];
    for (const principal of ['https://orcid.org/0000-0002-1825-0097', 'mailto:a<b>@example.org', ...clashes]) {
      const { crate } = await crateOf({
        agent_id: '"an agent/with#odd?signs"',
        acting_for: `{"principal_id":"${principal}","name":"N","principal_kind":"person","assurance":"asserted"}`,
      });
      const ids = crate['@graph'].map((entity) => entity['@id']);
      expect(new Set(ids).size).toBe(ids.length);
      const referred = crate['@graph'].flatMap(({ '@id': _, ...properties }) => references(properties));
      expect(referred.length).toBeGreaterThan(15);
      for (const id of referred) expect(ids).toContain(id);
      for (const id of ids) expect(id).toMatch(/^[!#$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]+$/);
    }
  });

  it('is the same, byte for byte, for the same run', async () => {
    const [first, second] = [await crateOf(), await crateOf()];
    const read = ({ folder }: { folder: string }) => readFileSync(join(folder, 'ro-crate-metadata.json'), 'utf8');
    expect(read(first)).toBe(read(second));
  });
});
