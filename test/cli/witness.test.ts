import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { grounding } from './grounding.js';
import { agentModule, PRINCIPAL, workshop } from './workshop.js';

const COPY = '{"id":"rec:1","t":"one"}\n{"id":"rec:2","t":"two"}\n';
const OTHER = '{"id":"rec:9","t":"not for this agent"}\n';
const pin = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Ways in which an agent of a witnessed run may behave; each cites `rec:1` unless it says otherwise. */
const AGENTS = {
  honest: 'const read = await ctx.sources.fetch("snap:1", "rec:1"); return cites(ctx, read);',
  // Keeps the token of its first run, and reads with it in the next one.
  replays: `const { headers } = ctx.sources.mcp;
    const { record } = await raw(ctx, 'snap:1/rec:1', globalThis.kept ?? headers);
    globalThis.kept ??= headers;
    return cites(ctx, await ctx.retrieval({ source_id: 'rec:1', snapshot_ref: 'snap:1', canonicalisation: 'dd-json-document-v1' }, () => record ?? ONE));`,
  // Answers from memory in its first run, and reads what it cited once that is over.
  late: `if (globalThis.late === undefined) {
      const { headers } = ctx.sources.mcp;
      globalThis.late = async () => log('late ' + (await raw(ctx, 'snap:1/rec:1', headers)).status);
      return cites(ctx, await ctx.retrieval({ source_id: 'rec:1', snapshot_ref: 'snap:1', canonicalisation: 'dd-json-document-v1' }, () => ONE));
    }
    await globalThis.late();
    return cites(ctx, await ctx.sources.fetch('snap:1', 'rec:1'));`,
  // Asks for what it may not see, and for what is no record at all.
  pries: `const asked = ['snap:2/rec:9', '../../etc/passwd', 'snap:1/..%2F..%2Fsources.yaml', 'snap:1/99999999'];
    for (const path of asked) await log(path + ' ' + (await raw(ctx, path, ctx.sources.mcp.headers)).status);
    const read = await ctx.sources.fetch('snap:1', 'rec:1'); return cites(ctx, read);`,
  // Asks as fast as it can.
  floods: `const statuses = [];
    for (let round = 0; round < 5; round++)
      statuses.push(...await Promise.all(Array.from({ length: 100 }, () => raw(ctx, 'snap:1/none', ctx.sources.mcp.headers).then((one) => one.status))));
    await log('flood ' + [...new Set(statuses)].sort().join());
    const read = await ctx.sources.fetch('snap:1', 'rec:1'); return cites(ctx, read);`,
  // Asks the gate's own process to let itself be debugged, by which it could write the conductor's spans.
  debugs: `process.kill(process.ppid, 'SIGUSR1');
    await new Promise((done) => setTimeout(done, 1000));
    await log('debugger ' + (await fetch('http://127.0.0.1:9229/json').then(() => 'open', () => 'shut')));
    const read = await ctx.sources.fetch('snap:1', 'rec:1'); return cites(ctx, read);`,
  // A model call that nobody could see.
  calls: `const read = await ctx.sources.fetch('snap:1', 'rec:1'); await ctx.chat('m', async () => 'x'); return cites(ctx, read);`,
} as const;

const HELPERS = `
import { appendFileSync } from 'node:fs';
const ONE = { id: 'rec:1', t: 'one' };
const log = (line) => appendFileSync(new URL('log.txt', import.meta.url), line + '\\n');
const cites = (ctx, read) => ctx.succeeded({ statement: 'Noted.', payload: { text: 'noted', grounded_on: [ctx.cite(read)] } });
async function raw(ctx, path, headers) {
  const response = await fetch(ctx.sources.mcp.url.replace(/mcp$/, 'sources/') + path, { headers });
  return { status: response.status, ...(await response.json()) };
}
`;

function home(fixtures: Readonly<Record<string, object>>, more: Readonly<Record<string, string>> = {}): string {
  const names = Object.keys(AGENTS);
  return workshop({
    ...Object.fromEntries(
      Object.entries(AGENTS).map(([name, body]) => [
        `${name}.mjs`,
        HELPERS + agentModule(`test.${name}`, body, 'retrieval'),
      ]),
    ),
    'agents.yaml': `agents:\n${names.map((name) => `  - {module: ${name}.mjs, sources: ["snap:1"]}\n`).join('')}`,
    'profiles/default.yaml': `profile_id: tests\nversion: 1\nagents: {${names.map((name) => `test.${name}: note`).join(', ')}}\nrequire: witnessed\n`,
    'sources.yaml': `sources:\n  - {snapshot_refs: ["snap:1"], path: a.jsonl, id_field: id, sha256: "${pin(COPY)}"}\n  - {snapshot_refs: ["snap:2"], path: b.jsonl, id_field: id, sha256: "${pin(OTHER)}"}\n`,
    'a.jsonl': COPY,
    'b.jsonl': OTHER,
    'fixtures/honest.json': '{"agent_id":"test.honest","input":{"schema_class":"Note"}}',
    ...Object.fromEntries(Object.entries(fixtures).map(([name, text]) => [`fixtures/${name}`, JSON.stringify(text)])),
    ...more,
  });
}

const note = (agent: keyof typeof AGENTS) => ({ agent_id: `test.${agent}`, input: { schema_class: 'Note' } });

interface Result {
  readonly fixture: string;
  readonly outcome: { readonly status: string };
  readonly invocation_id: string;
  readonly grounding: {
    readonly rules: readonly string[];
    readonly violations: readonly { readonly message: string }[];
  };
}

async function run(cwd: string, ...args: readonly string[]) {
  const ended = await grounding(['run', '--format', 'json', '--jobs', '1', ...args], { cwd, env: PRINCIPAL });
  if (ended.stdout === '') throw new Error(ended.stderr);
  const { results } = JSON.parse(ended.stdout) as { readonly results: readonly Result[] };
  return { ...ended, results, rules: results.map(({ fixture, grounding: { rules } }) => [fixture, rules]) };
}

/** What the conductor wrote of its doors, in the order of the file. */
function witnessed(cwd: string, { invocation_id }: Result): readonly string[] {
  return readFileSync(join(cwd, 'runs', invocation_id, 'spans.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((span) => span.attributes['dd.witnessed'] === true)
    .map((span) => span.attributes['dd.source_id']);
}

describe('a witnessed run', () => {
  it('passes, and leaves its token in no file', async () => {
    const cwd = home({});
    const { code, results, stderr } = await run(cwd);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(results.map((one) => witnessed(cwd, one))).toEqual([['rec:1']]);
    for (const file of readdirSync(join(cwd, 'runs'), { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toMatch(/Bearer|127\.0\.0\.1/);
    }
  });

  it('breaks W1 when the agent reads with the token of an earlier run', async () => {
    const cwd = home({ 'a.json': note('replays'), 'b.json': note('replays') });
    const { rules, results } = await run(cwd, 'fixtures/a.json', 'fixtures/b.json');
    expect(rules).toEqual([
      ['fixtures/a.json', []],
      ['fixtures/b.json', ['W1']],
    ]);
    expect(results.map((one) => witnessed(cwd, one))).toEqual([['rec:1'], []]);
  });

  it('breaks W1 when the agent reads only after it has answered, and it is served nothing then', async () => {
    const cwd = home({ 'a.json': note('late'), 'b.json': note('late') });
    const { rules, results } = await run(cwd, 'fixtures/a.json', 'fixtures/b.json');
    expect(rules).toEqual([
      ['fixtures/a.json', ['W1']],
      ['fixtures/b.json', []],
    ]);
    expect(results.map((one) => witnessed(cwd, one))).toEqual([[], ['rec:1']]);
    expect(readFileSync(join(cwd, 'log.txt'), 'utf8')).toBe('late 401\n');
  });

  it('serves nothing that the agent may not see, and goes on', async () => {
    const cwd = home({ 'a.json': note('pries') });
    const { rules, results } = await run(cwd, 'fixtures/a.json');
    expect(rules).toEqual([['fixtures/a.json', []]]);
    expect(results.map((one) => witnessed(cwd, one))).toEqual([['rec:1']]);
    const statuses = readFileSync(join(cwd, 'log.txt'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[1]);
    expect(statuses.every((status) => status === '404' || status === '401')).toBe(true);
  });

  it('survives a flood, and serves what is asked for afterwards', async () => {
    const cwd = home({ 'a.json': note('floods') });
    const { rules } = await run(cwd, 'fixtures/a.json');
    expect(rules).toEqual([['fixtures/a.json', []]]);
    expect(readFileSync(join(cwd, 'log.txt'), 'utf8')).toMatch(/^flood 404/);
  });

  it('lets no agent debug the gate', async () => {
    const cwd = home({ 'a.json': note('debugs') });
    const { rules } = await run(cwd, 'fixtures/a.json');
    expect(rules).toEqual([['fixtures/a.json', []]]);
    expect(readFileSync(join(cwd, 'log.txt'), 'utf8')).toBe('debugger shut\n');
  });

  it('breaks W2 when it declares a model call that nobody saw', async () => {
    const cwd = home({ 'a.json': note('calls') });
    const { rules } = await run(cwd, 'fixtures/a.json');
    expect(rules).toEqual([['fixtures/a.json', ['W2']]]);
  });

  it('is replayed from a recording with the same verdict', async () => {
    const cwd = home({ 'a.json': note('replays'), 'b.json': note('replays') });
    const both = ['fixtures/a.json', 'fixtures/b.json', 'fixtures/honest.json'];
    const made = await run(cwd, ...both, '--record', 'recordings');
    const again = await run(cwd, ...both, '--replay', 'recordings', '--runs', 'replayed');
    expect(again.rules).toEqual(made.rules);
  });
});

describe('a witnessed run of a service', () => {
  it('is served by what its message says', async () => {
    const port = await freePort();
    const module = HELPERS + agentModule('test.service', AGENTS.honest, 'retrieval');
    const command = JSON.stringify(
      `"${process.execPath}" "${join(import.meta.dirname, '../../build/cli.js')}" serve-agent service.mjs --port ${port}`,
    );
    const cwd = home(
      { 'a.json': { agent_id: 'test.service', input: { schema_class: 'Note' } } },
      {
        'service.mjs': module,
        'agents.yaml': `agents:\n  - {url: "http://127.0.0.1:${port}", start: ${command}, sources: ["snap:1"]}\n`,
        'profiles/default.yaml': 'profile_id: tests\nversion: 1\nagents: {test.service: note}\nrequire: witnessed\n',
      },
    );
    const { rules, results } = await run(cwd, 'fixtures/a.json');
    expect(rules).toEqual([['fixtures/a.json', []]]);
    expect(results.map((one) => witnessed(cwd, one))).toEqual([['rec:1']]);
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
