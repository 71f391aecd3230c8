// What witnesses cost: the standards advisor over the same fixtures with and without doors, fifty agents, each in its own process, at work
// at once, and a large copy served and searched. There a child asks for fifty runs, so that what is measured is the door alone.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { makeCopy, recordId } from './sources.mjs';

/** @typedef {{ name: string, value: string, target: string | null }} Row */

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const CLI = join(root, 'build', 'cli.js');
const REF = 'snapshot:bench';
const RECORDS = 2_000_000;
const AGENTS = 50;
const FETCHES = 100;
const WORDS = 'registry deprecated 資料';

/**
 * The rows of the bench; `quick` takes fewer fixtures and a smaller copy.
 * @param {{ quick?: boolean }} options
 * @returns {Promise<Row[]>}
 */
export async function run({ quick = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'grounding-bench-witness-'));
  try {
    return [
      ...wallTime(folder, quick ? { fixtures: 20, turns: 2 } : { fixtures: 200, turns: 4 }),
      ...(await agentsAtOnce(folder)),
      ...(await served(folder, quick ? RECORDS / 20 : RECORDS)),
      ...(await modelCalls(folder, quick ? 200 : 2_000)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns {Row[]} */
function wallTime(
  /** @type {string} */ folder,
  /** @type {{ fixtures: number, turns: number }} */ { fixtures, turns },
) {
  const home = workshop(folder, fixtures);
  /** @type {Record<'plain' | 'witnessed', number[]>} */
  const times = { plain: [], witnessed: [] };
  // In turns, so that what else the machine does weighs on both; the first of each warms the disk's cache.
  for (let turn = 0; turn < turns; turn++)
    for (const kind of /** @type {const} */ (['plain', 'witnessed']))
      times[kind].push(runAll(home, `${kind}-${turn}`, kind));
  const [plain, witnessed] = [Math.min(...times.plain.slice(1)), Math.min(...times.witnessed.slice(1))];
  return [
    {
      name: `${fixtures} fixtures of the standards advisor: wall time with witnesses, over the same without`,
      value: `${(witnessed / plain).toFixed(2)}× (${plain.toFixed(2)} s, ${witnessed.toFixed(2)} s)`,
      target: 'aim 1.10×',
    },
  ];
}

/** A folder with the advisor, its source and so many fixtures. */
function workshop(/** @type {string} */ folder, /** @type {number} */ fixtures) {
  const home = join(folder, 'home');
  mkdirSync(join(home, 'fixtures'), { recursive: true });
  mkdirSync(join(home, 'node_modules'));
  cpSync(join(root, 'examples'), join(home, 'examples'), { recursive: true });
  cpSync(join(root, 'sources.yaml'), join(home, 'sources.yaml'));
  for (const name of ['minisearch']) symlinkSync(join(root, 'node_modules', name), join(home, 'node_modules', name));
  symlinkSync(root, join(home, 'node_modules', 'grounding-gate'));
  const files = {
    'package.json': '{"type":"module"}',
    'plain.yaml': 'agents:\n  - module: examples/agents/standards.js\n',
    'witnessed.yaml': 'agents:\n  - module: examples/agents/standards.js\n    sources: ["fairsharing:2026-09-04"]\n',
    'plain-profile.yaml': 'profile_id: bench\nversion: 1\nagents: {advisor.standards: advise}\n',
    'witnessed-profile.yaml':
      'profile_id: bench\nversion: 1\nagents: {advisor.standards: advise}\nrequire: witnessed\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  const fixture = JSON.parse(readFileSync(join(root, 'examples/fixtures/standards-ocean-climate.json'), 'utf8'));
  for (let at = 0; at < fixtures; at++) {
    const one = { ...fixture, input: { ...fixture.input, title: `${fixture.input.title} ${at}` } };
    writeFileSync(join(home, 'fixtures', `${at}.json`), JSON.stringify(one));
  }
  return home;
}

/** The seconds of one call of the command line over all fixtures, which must end as expected. */
function runAll(/** @type {string} */ home, /** @type {string} */ runs, /** @type {string} */ kind) {
  const args = [CLI, 'run', '--agents', `${kind}.yaml`, '--profile', `${kind}-profile.yaml`, '--runs', runs];
  const begun = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: home,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], DD_PRINCIPAL_ID: 'mailto:bench@example.org', DD_PRINCIPAL_NAME: 'Bench' },
  });
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  if (status !== 0) throw new Error(`the ${kind} runs ended with ${status}: ${stderr}`);
  return seconds;
}

/** What each agent of `agentsAtOnce` does: it reads the records that its input names, one after the other, with a model call among them. */
const READER = `
import { defineAgent } from 'grounding-gate/agent';
const list = { type: 'array', items: { type: 'object' } };
const schema = (name, more) => ({ type: 'object', required: ['schema_class', ...Object.keys(more)], properties: { schema_class: { type: 'string', enum: [name] }, ...more } });
export default defineAgent({
  agent_id: 'bench.reader', version: '1.0.0', description: 'Reads records.', action_class: 'read',
  accepts: ['Ids'], grounding_mode: 'retrieval', payload: 'Read', derivations: {},
  schemas: { Ids: schema('Ids', { ids: { type: 'array' }, model: { type: 'string' } }), Read: schema('Read', { grounded_on: list }) },
  async run(ctx, { ids, model }) {
    const cited = [];
    for (const id of ids) cited.push(ctx.cite(await ctx.sources.fetch('${REF}', id)));
    await ctx.chat(model, async () => {
      const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body: JSON.stringify({ model }) });
      if (!response.ok) throw new Error('the model was not reached: ' + response.status);
      return response.text();
    });
    return ctx.succeeded({ statement: 'Read.', payload: { grounded_on: cited } });
  },
});
`;

/** Records of the copy of `agentsAtOnce`. */
const SMALL = 20_000;

/**
 * Fifty agents in as many processes at once, each with a run that must be witnessed: how long they take, what the gate needs, and whether
 * each run has what its own agent read and asked, in that order, and nothing else.
 * @returns {Promise<Row[]>}
 */
async function agentsAtOnce(/** @type {string} */ folder) {
  const home = join(folder, 'at-once');
  mkdirSync(join(home, 'fixtures'), { recursive: true });
  mkdirSync(join(home, 'node_modules'));
  symlinkSync(root, join(home, 'node_modules', 'grounding-gate'));
  makeCopy(join(home, 'copy.jsonl'), SMALL);
  // Held until all have asked, so that there are fifty at once and not one after the other.
  /** @type {import('node:http').ServerResponse[]} */
  const waiting = [];
  const upstream = createServer((request, response) => {
    request.resume().on('end', () => {
      waiting.push(response);
      if (waiting.length < AGENTS) return;
      for (const one of waiting.splice(0)) one.end('{"choices":[{}]}');
    });
  });
  await new Promise((done) => upstream.listen(0, '127.0.0.1', () => done(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (upstream.address());
  const files = {
    'reader.mjs': READER,
    'agents.yaml': `agents:\n  - module: reader.mjs\n    timeout_s: 300\n    sources: ["${REF}"]\n    models: {openai: "http://127.0.0.1:${port}"}\n`,
    'profile.yaml': 'profile_id: bench\nversion: 1\nagents: {bench.reader: read}\nrequire: witnessed\n',
    'sources.yaml': 'sources: []\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  for (let at = 0; at < AGENTS; at++) {
    const input = { schema_class: 'Ids', ids: idsOf(at, SMALL), model: `model-${at}` };
    writeFileSync(join(home, 'fixtures', `${at}.json`), JSON.stringify({ agent_id: 'bench.reader', input }));
  }
  const env = { PATH: process.env['PATH'], DD_PRINCIPAL_ID: 'mailto:bench@example.org', DD_PRINCIPAL_NAME: 'Bench' };
  spawnSync(process.execPath, [CLI, 'pin', 'copy.jsonl', '--ref', REF, '--id-field', 'record_id'], { cwd: home, env });
  const args = [CLI, 'run', '--profile', 'profile.yaml', '--jobs', String(AGENTS), '--format', 'json'];
  const begun = process.hrtime.bigint();
  const { out, peak, processes } = await watched(args, { cwd: home, env });
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  upstream.closeAllConnections();
  upstream.close();
  const { results } = JSON.parse(out);
  const wrong = Array.from({ length: AGENTS }, (_, at) => at).filter((at) => !isWhole(home, { at, results }));
  return [
    {
      name: `${AGENTS} agents at once, in ${processes} processes, ${FETCHES} records and one model call each: lost or noted for another run`,
      value: String(wrong.length),
      target: '0',
    },
    {
      name: `${AGENTS} agents at once: wall time, most memory of the gate`,
      value: `${seconds.toFixed(1)} s, ${(peak / 1e6).toFixed(0)} MB`,
      target: null,
    },
  ];
}

/** Whether a run passed, and was noted just what its agent read and asked, in that order. */
function isWhole(/** @type {string} */ home, /** @type {{ at: number, results: any[] }} */ { at, results }) {
  const run = results.find(({ fixture }) => fixture === `fixtures/${at}.json`);
  if (run?.state !== 'as-expected' || run.grounding.rules.length > 0) return false;
  const seen = readFileSync(join(home, 'runs', run.invocation_id, 'spans.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).attributes)
    .filter((attributes) => attributes['dd.witnessed'] === true)
    .map((attributes) => attributes['dd.source_id'] ?? attributes['dd.model_id']);
  return seen.join() === [...idsOf(at, SMALL), `model-${at}`].join();
}

/**
 * Runs the command line and looks at it meanwhile: its most memory, in bytes, and its most agents at once.
 * @returns {Promise<{ out: string, peak: number, processes: number }>}
 */
function watched(
  /** @type {readonly string[]} */ args,
  /** @type {import('node:child_process').SpawnOptions} */ options,
) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, told, peak, processes] = ['', '', 0, 0];
    const timer = setInterval(() => {
      const status = readOr(`/proc/${child.pid}/status`, '');
      peak = Math.max(peak, Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024);
      const below = readOr(`/proc/${child.pid}/task/${child.pid}/children`, '').trim().split(' ');
      const agents = below.filter((pid) => readOr(`/proc/${pid}/cmdline`, '').includes('agent-host'));
      processes = Math.max(processes, agents.length);
    }, 100);
    child.stdout?.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      told += chunk;
    });
    child.on('close', (code) => {
      clearInterval(timer);
      if (code === 0) resolve({ out, peak, processes });
      else reject(new Error(`the ${AGENTS} agents ended with ${code}: ${told || out.slice(0, 2_000)}`));
    });
  });
}

function readOr(/** @type {string} */ file, /** @type {string} */ instead) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return instead;
  }
}

/** @returns {Promise<Row[]>} */
async function served(/** @type {string} */ folder, /** @type {number} */ records) {
  const size = makeCopy(join(folder, 'copy.jsonl'), records);
  const bundle = join(folder, 'bundle.mjs');
  await bundleTo(bundle);
  const measured = await inChild([folder, bundle, String(records)]);
  const what = `${Math.round(size / 1e6)} MB copy`;
  return [
    {
      name: `${AGENTS} runs at the door at once, ${FETCHES} records each, from a ${what}: lost or noted for another run`,
      value: String(measured.lost),
      target: '0',
    },
    {
      name: 'records served a second, the asking included',
      value: `${measured.perSecond.toFixed(0)} (a fetch takes ${measured.median.toFixed(1)} ms in the middle, ${measured.slow.toFixed(1)} ms at the 99th percentile)`,
      target: null,
    },
    {
      name: `${what}: memory of the gate after it served and searched, above that after it was loaded`,
      value: `${Math.max(0, measured.grown / 1e6).toFixed(0)} MB`,
      target: 'under 64 MB',
    },
    {
      name: `${what}: processor time of one search through all of it`,
      value: `${measured.search.toFixed(1)} s`,
      target: null,
    },
  ];
}

/**
 * Calls of a model server on this machine, through the pass-through and straight: what the way costs a call, and whether a stream comes
 * as it was sent.
 * @returns {Promise<Row[]>}
 */
async function modelCalls(/** @type {string} */ folder, /** @type {number} */ calls) {
  const bundle = join(folder, 'models.mjs');
  await bundleModels(bundle);
  const parts = await import(pathToFileURL(bundle).href);
  const upstream = createServer((request, response) => {
    request.resume().on('end', () => answer(response));
  });
  await new Promise((done) => upstream.listen(0, '127.0.0.1', () => done(undefined)));
  const direct = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (upstream.address()).port}`;
  const clock = parts.systemClock();
  const runs = new parts.ModelRuns(clock);
  const server = await parts.startModelServer(runs, {
    clock,
    onError: (/** @type {unknown} */ error) => console.error(error),
  });
  const lane = runs.open('lane', { openai: direct });
  let seen = 0;
  /** @type {number[][]} */
  const times = [[], []];
  for (let at = 0; at < calls; at++) {
    // A run for each, since one may not make so many; in turns, so that what else the machine does weighs on both.
    const trace = `00-${String(at + 1).padStart(32, '0')}-${'1'.repeat(16)}-01`;
    const leave = lane.enter(trace);
    const end = runs.admit(trace, { required: true, witness: { note: () => void seen++ } });
    for (const [which, base] of [direct, `${server.url}/lane/openai`].entries()) {
      const from = process.hrtime.bigint();
      const response = await fetch(`${base}/chat/completions`, { method: 'POST', body: '{"model":"m"}' });
      if ((await response.text()) !== STREAM.join('')) throw new Error('a stream came otherwise than it was sent');
      times[which]?.push(Number(process.hrtime.bigint() - from) / 1e6);
    }
    end();
    leave();
  }
  await server.close();
  upstream.closeAllConnections();
  upstream.close();
  const [straight = 0, through = 0] = times.map(middle);
  return [
    {
      name: `${calls} streamed model calls: each in the middle through the gate, over straight`,
      value: `${(through - straight).toFixed(2)} ms more (${straight.toFixed(2)} ms, ${through.toFixed(2)} ms)`,
      target: null,
    },
    {
      name: 'model calls that were made and not written down, streams that were changed',
      value: String(calls - seen),
      target: '0',
    },
  ];
}

const STREAM = [
  ...Array.from({ length: 50 }, (_, at) => `data: {"model":"m","choices":[{"delta":{"content":"word ${at}"}}]}\n\n`),
  'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":50}}\n\n',
  'data: [DONE]\n\n',
];

function answer(/** @type {import('node:http').ServerResponse} */ response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of STREAM) response.write(event);
  response.end();
}

function middle(/** @type {readonly number[]} */ values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function bundleModels(/** @type {string} */ outfile) {
  const contents = `
    export { ModelRuns } from './core/doors/model-runs.js';
    export { startModelServer } from './core/io/model-server.js';
    export { systemClock } from './core/io/clock.js';`;
  const stdin = { contents, resolveDir: root, loader: /** @type {const} */ ('ts') };
  const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  await build({
    stdin,
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: { js: banner },
  });
}

async function bundleTo(/** @type {string} */ outfile) {
  const contents = `
    export { diskSourceFiles } from './core/io/source-files.js';
    export { loadSources, pinSource } from './core/sources/index.js';
    export { LiveRuns } from './core/doors/live-runs.js';
    export { SourceService } from './core/doors/source-service.js';
    export { startSourceServer, nextTurn } from './core/io/source-server.js';
    export { systemClock } from './core/io/clock.js';`;
  const stdin = { contents, resolveDir: root, loader: /** @type {const} */ ('ts') };
  await build({ stdin, outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'warning' });
}

/** @typedef {{ lost: number, perSecond: number, median: number, slow: number, grown: number, search: number }} Served */

/** @returns {Promise<Served>} */
function inChild(/** @type {readonly string[]} */ given) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url), '--gate', ...given], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(out)) : reject(new Error(`the gate ended with ${code}`)),
    );
  });
}

/** The gate's half: it loads the copy, opens a run for each agent, has another child ask, and looks at its own memory. */
async function gate(/** @type {string} */ folder, /** @type {string} */ bundle, /** @type {number} */ records) {
  const parts = await import(pathToFileURL(bundle).href);
  const sourcesPath = join(folder, 'sources.yaml');
  parts.pinSource(parts.diskSourceFiles, {
    sourcesPath,
    file: join(folder, 'copy.jsonl'),
    ref: REF,
    idField: 'record_id',
  });
  const copies = parts.loadSources(parts.diskSourceFiles, { sourcesPath, named: true });
  const clock = parts.systemClock();
  const runs = new parts.LiveRuns();
  const server = await parts.startSourceServer(runs, {
    clock,
    onError: (/** @type {unknown} */ error) => console.error(error),
  });
  const fixed = { copies, allowed: [REF], clock, turn: parts.nextTurn };
  const noted = Array.from({ length: AGENTS }, () => /** @type {string[]} */ ([]));
  noted.forEach((seen, at) => {
    const witness = {
      note(/** @type {{ sourceId: string }} */ { sourceId }) {
        seen.push(sourceId);
        return 'noted';
      },
    };
    const service = new parts.SourceService({ ...fixed, witness });
    runs.admit(`token-${at}`, service);
  });
  const before = memory();
  const asked = await ask(server.url, records);
  const grown = memory() - before;
  const lost = noted.filter((seen, at) => seen.join() !== idsOf(at, records).join()).length;
  const search = await searched(new parts.SourceService({ ...fixed, witness: { note: () => 'noted' } }));
  console.log(JSON.stringify({ ...asked, grown, lost, search }));
  process.exit(0);
}

/** The seconds of processor time of one search. */
async function searched(/** @type {{ search(asked: object): Promise<{ kind: string }> }} */ service) {
  const before = process.cpuUsage();
  if ((await service.search({ snapshotRef: REF, query: WORDS })).kind !== 'given')
    throw new Error('nothing was searched');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function memory() {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}

/** What the run of an agent asks for, in its order. */
function idsOf(/** @type {number} */ agent, /** @type {number} */ records) {
  return Array.from({ length: FETCHES }, (_, at) => recordId((agent * 7919 + at * 104_729) % records));
}

/** @returns {Promise<{ perSecond: number, median: number, slow: number }>} */
function ask(/** @type {string} */ url, /** @type {number} */ records) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--ask', url, String(records)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(out)) : reject(new Error(`the agents ended with ${code}`)),
    );
  });
}

/** The agents' half: all at once, each one record after the other, then one search. */
async function agents(/** @type {string} */ url, /** @type {number} */ records) {
  /** @type {number[]} */
  const times = [];
  const begun = process.hrtime.bigint();
  await Promise.all(
    Array.from({ length: AGENTS }, async (_, agent) => {
      const headers = { authorization: `Bearer token-${agent}` };
      for (const id of idsOf(agent, records)) {
        const from = process.hrtime.bigint();
        const response = await fetch(`${url}/sources/${REF}/${encodeURIComponent(id)}`, { headers });
        const body = /** @type {any} */ (await response.json());
        if (body.record?.record_id !== id) throw new Error(`${id} was not served: ${response.status}`);
        times.push(Number(process.hrtime.bigint() - from) / 1e6);
      }
    }),
  );
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  // One through the door as well, so that its memory is the gate's.
  const headers = { authorization: 'Bearer token-0' };
  const found = await fetch(`${url}/sources/${REF}?q=${encodeURIComponent(WORDS)}`, { headers });
  if (/** @type {any} */ (await found.json()).hits.length !== 10) throw new Error('the search found too little');
  times.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => times[Math.floor(times.length * share)] ?? 0;
  console.log(JSON.stringify({ perSecond: times.length / seconds, median: at(0.5), slow: at(0.99) }));
}

const [, , half, first = '', second = '', third = ''] = process.argv;
if (half === undefined) for (const row of await run()) console.log(row.name, '|', row.value, '|', row.target ?? '');
if (half === '--gate') await gate(first, second, Number(third));
if (half === '--ask') await agents(first, Number(second));
