import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderWith, ROOT } from './grounding.js';

/** Whom the tests' runs are made for. */
export const PRINCIPAL = { DD_PRINCIPAL_ID: 'mailto:tester@example.org', DD_PRINCIPAL_NAME: 'Tester' };

const LIBRARY = JSON.stringify(join(ROOT, 'build/agent.js'));

/** An agent of two classes, `Note` in and `Noted` out, whose `run` has this body; it is given `ctx` and `input`. */
export function agentModule(id: string, body: string, mode = 'input_only'): string {
  return `import { defineAgent } from ${LIBRARY};
const open = (name, more) => ({ type: 'object', required: ['schema_class', ...more], properties: { schema_class: { enum: [name] } } });
export default defineAgent({
  agent_id: '${id}', version: '1.0.0', description: 'of a test', action_class: 'note', grounding_mode: '${mode}',
  accepts: ['Note'], payload: 'Noted', derivations: { text: { how: 'template', recorded_in: null } },
  schemas: { Note: open('Note', []), Noted: open('Noted', ['grounded_on']) },
  async run(ctx, input) { ${body} },
});
`;
}

/** Bodies of agents: one that cites its input, one that cites what it never read, one that never ends, one that throws. */
export const BODIES = {
  honest:
    "return ctx.succeeded({ statement: 'Noted.', payload: { text: 'noted', grounded_on: [ctx.cite(ctx.input)] } });",
  miscites:
    "return { outcome: { status: 'succeeded', statement: 'x' }, payload: { schema_class: 'Noted', grounded_on: [{ source_id: 'src:never', content_hash: 'a'.repeat(64) }] }, evidence: [] };",
  throws: "throw new Error('no');",
  abstains: "return ctx.abstained({ statement: 'Nothing.', reason_code: 'insufficient_input' });",
} as const;

const FIXTURE = (agent: string): string => JSON.stringify({ agent_id: agent, input: { schema_class: 'Note' } });

/** Files of a workshop whose agents are the four bodies, with a profile that allows them and a fixture for the honest one. */
const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(BODIES).map(([name, body]) => [`${name}.mjs`, agentModule(`test.${name}`, body)]),
  ),
  'agents.yaml': `agents:\n${Object.keys(BODIES)
    .map((name) => `  - module: ${name}.mjs\n`)
    .join('')}`,
  'profiles/default.yaml': `profile_id: tests\nversion: 1\nagents:\n${[...Object.keys(BODIES), 'slow', 'fetches']
    .map((name) => `  test.${name}: note\n`)
    .join('')}`,
  'sources.yaml': 'sources: []\n',
  'fixtures/honest.json': FIXTURE('test.honest'),
};

/** A folder in which `grounding run` works; `more` adds files or takes the place of those above. */
export function workshop(more: Readonly<Record<string, string>> = {}): string {
  const folder = folderWith({});
  for (const [name, content] of Object.entries({ ...FILES, ...more })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** A fixture of the workshop for one of its agents. */
export const fixtureFor = (agent: keyof typeof BODIES | 'slow' | 'fetches' | 'nobody'): string =>
  FIXTURE(`test.${agent}`);
