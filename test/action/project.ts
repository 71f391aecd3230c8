import { createHash } from 'node:crypto';

/**
 * The files of a small repository of agents, as a user has them. Its one agent does what its input says: it fetches the records of `fetch`,
 * cites those and those of `cite`, which it never read, and says `say`.
 */
const AGENT = `import { defineAgent } from 'grounding-gate/agent';

const open = (name, more) => ({ type: 'object', required: ['schema_class', ...more], properties: { schema_class: { enum: [name] } } });
const hash = (text) => text.repeat(64).slice(0, 64);

export default defineAgent({
  agent_id: 'test.finder', version: '1.0.0', description: 'Finds what its input names.', action_class: 'find',
  accepts: ['Wish'], grounding_mode: 'retrieval', payload: 'Found',
  schemas: { Wish: open('Wish', []), Found: open('Found', ['grounded_on']) },
  async run(ctx, input) {
    if (input.print === true) {
      console.log(JSON.stringify(process.env));
      console.log('::set-output name=stolen::yes\\n##[group]mine');
      console.error(JSON.stringify(process.env));
    }
    if (input.wait !== undefined) await new Promise((resolve) => setTimeout(resolve, input.wait));
    if (input.abstain === true) return ctx.abstained({ statement: 'Nothing fits.', reason_code: 'no_qualifying_resource' });
    const found = [];
    for (const id of input.fetch ?? []) {
      const source = { source_id: id, canonicalisation: 'dd-json-document-v1', snapshot_ref: 'records-1' };
      found.push(await ctx.retrieval(source, () => ({ id, title: 'Title of ' + id })));
    }
    const cited = (input.cite ?? []).map((id) => ({ source_id: id, content_hash: hash('ab') }));
    const statement = input.say ?? (input.leak === undefined ? 'Found.' : String(process.env[input.leak]));
    return ctx.succeeded({ statement, payload: { grounded_on: [...found.map((one) => ctx.cite(one)), ...cited] } });
  },
});
`;

const RECORDS = ['rec:1', 'rec:2', 'rec:3']
  .map((id) => `${JSON.stringify({ id, title: `Title of ${id}` })}\n`)
  .join('');

/** sources.yaml for a copy with these bytes. */
export function pinFor(records: string, ref = 'records-1'): string {
  const sha256 = createHash('sha256').update(records).digest('hex');
  return `sources:\n  - snapshot_refs: ["${ref}"]\n    path: records.jsonl\n    id_field: id\n    sha256: "${sha256}"\n`;
}

export const PROFILE = 'profile_id: tests\nversion: 1\nagents:\n  test.finder: find\n';

/** A fixture with this input. */
export function fixture(
  input: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
): string {
  return `${JSON.stringify({ agent_id: 'test.finder', input: { schema_class: 'Wish', ...input }, ...more })}\n`;
}

/** The files of the repository; every run of it is in order. */
export const PROJECT: Readonly<Record<string, string>> = {
  'README.md': 'agents\n',
  'agents/finder.mjs': AGENT,
  'agents.yaml': 'agents:\n  - module: agents/finder.mjs\n',
  'profiles/default.yaml': PROFILE,
  'records.jsonl': RECORDS,
  'sources.yaml': pinFor(RECORDS),
  'fixtures/found.json': fixture({ fetch: ['rec:1'] }),
  'fixtures/found.expect.yaml': 'status: succeeded\nverified: 1\n',
};

/** The same files below a folder, as in a repository of several projects. */
export function below(folder: string, files: Readonly<Record<string, string>> = PROJECT): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}
