import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith, grounding } from '../cli/grounding.js';

const ENV = { DD_PRINCIPAL_ID: 'mailto:test@example.org', DD_PRINCIPAL_NAME: 'Test' };
const AGENTS = ['--agents', 'examples/agents-witnessed.yaml'];

interface Reported {
  readonly results: readonly {
    readonly fixture: string;
    readonly state: string;
    readonly invocation_id: string;
    readonly outcome: { readonly status: string };
    readonly grounding: { readonly rules: readonly string[]; readonly witness?: { readonly required: boolean } };
    readonly basis: { readonly cited: readonly { readonly basis: string }[]; readonly retrievals: object };
  }[];
}

async function run(runs: string, profile: string, ...fixtures: readonly string[]) {
  const args = ['run', ...fixtures, ...AGENTS, '--profile', profile, '--runs', runs, '--format', 'json'];
  const ended = await grounding(args, { env: ENV });
  return { ...ended, report: JSON.parse(ended.stdout) as Reported };
}

const basesOf = ({ results }: Reported, name: string) =>
  results.find(({ fixture }) => fixture.includes(name))?.basis.cited.map(({ basis }) => basis);

it('the witnessed fixtures end as they expect, and are judged alike offline', async () => {
  const runs = join(folderWith({}), 'runs');
  const { code, report } = await run(runs, 'profiles/witnessed.yaml', 'examples/witnessed');
  expect(report.results.map(({ state }) => state)).toEqual(['as-expected', 'as-expected', 'as-expected']);
  expect(code).toBe(0);
  expect(basesOf(report, 'standards')).toEqual(['witnessed', 'witnessed']);
  expect(basesOf(report, 'reader')).toEqual(['witnessed']);
  expect(basesOf(report, 'remembers')).toEqual(['witnessed', 'recomputed']);
  for (const { fixture, invocation_id } of report.results) {
    const text = readFileSync(join(runs, invocation_id, 'grounding.txt'), 'utf8');
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^witness: /);
    expect(text.startsWith('grounding: FAILED')).toBe(fixture.includes('remembers'));
  }
  const again = await grounding(['reverify', runs, '--format', 'json']);
  expect(again.code).toBe(0);
  const states = again.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).state);
  expect(states.sort()).toEqual(['passed', 'passed', 'withheld']);
}, 60_000);

it('the citation that was never fetched passes every other rule, which is why this exists', async () => {
  const profile = readFileSync('profiles/witnessed.yaml', 'utf8').replace('require: witnessed\n', '');
  const folder = folderWith({ 'profile.yaml': profile });
  const runs = join(folder, 'runs');
  const { report } = await run(runs, join(folder, 'profile.yaml'), 'examples/witnessed/remembers-one.json');
  const [result] = report.results;
  expect(result?.outcome.status).toBe('succeeded');
  expect(result?.grounding).toMatchObject({ rules: [], witness: { required: false } });
  expect(
    readFileSync(join(runs, readdirSync(runs).find((name) => /^0/.test(name)) ?? '', 'grounding.txt'), 'utf8'),
  ).not.toContain('witness');
  expect(basesOf(report, 'remembers')).toEqual(['witnessed', 'recomputed']);
}, 60_000);

it('an expectation asks for witnesses as the profile does', async () => {
  const profile = readFileSync('profiles/witnessed.yaml', 'utf8').replace('require: witnessed\n', '');
  const fixture = readFileSync('examples/witnessed/remembers-one.json', 'utf8');
  const expected = `${readFileSync('examples/witnessed/remembers-one.expect.yaml', 'utf8')}require: witnessed\n`;
  const folder = folderWith({ 'profile.yaml': profile, 'one.json': fixture, 'one.expect.yaml': expected });
  const { code, report } = await run(join(folder, 'runs'), join(folder, 'profile.yaml'), join(folder, 'one.json'));
  expect(report.results.map(({ state, grounding: { rules } }) => [state, rules])).toEqual([['as-expected', ['W1']]]);
  expect(code).toBe(0);
}, 60_000);

it.each([
  ['a snapshot without a copy', 'facts:1999', 'retrieval'],
  ['snapshots for an agent that retrieves nothing', 'facts:2026-11', 'input_only'],
])(
  'an entry that lists %s is refused before anything runs',
  async (_, ref, mode) => {
    const folder = folderWith({
      'agents.yaml': `agents:\n  - module: a.mjs\n    sources: ["${ref}"]\n`,
      'a.mjs': AGENT.replace('retrieval', mode),
    });
    const args = ['run', 'examples/witnessed', '--agents', join(folder, 'agents.yaml'), '--runs', join(folder, 'runs')];
    const ended = await grounding(args, { env: ENV });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('agent-sources');
  },
  60_000,
);

const AGENT = `export default {
  agent_id: 'a', version: '1.0.0', description: 'd', action_class: 'c', accepts: ['Message'], grounding_mode: 'retrieval',
  payload: null, run: () => ({}),
};`;
