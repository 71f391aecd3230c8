// What it costs to store a run that survives a crash: time against writing the same bytes plainly, without any fsync,
// lock or rename; whether memory stays flat; what a later start pays for the runs that are there.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { v7 } from 'uuid';

/** @typedef {{ name: string, value: string, target: string | null }} Row */
/** @typedef {typeof import('../core/store/index.js') & typeof import('../core/io/store-files.js')} Store */

/** Runs in flight at the same time in the parallel part, as `grounding run` has them on a small machine. */
const JOBS = 4;

/** @returns {Promise<Row[]>} */
export async function run({ quick = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'grounding-bench-store-'));
  try {
    const store = await bundled(folder);
    return [
      ...(await timeRows({ store, folder, runs: quick ? 60 : 500 })),
      ...(await memoryRows({ store, folder, runs: quick ? 400 : 10_000 })),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {{ store: Store, folder: string, runs: number }} given */
async function timeRows({ store, folder, runs }) {
  const samples = Array.from({ length: runs }, () => sampleRun(v7()));
  const plain = await milliseconds(async () => {
    for (const sample of samples) writePlainly(join(folder, 'plain'), sample);
  });
  const opened = await store.openStore(store.storeWorld(), join(folder, 'one'));
  const alone = await milliseconds(async () => {
    for (const sample of samples) await write(opened.store, sample);
  });
  const shared = await store.openStore(store.storeWorld(), join(folder, 'many'));
  const parallel = await milliseconds(async () => {
    await inParallel(samples, (sample) => write(shared.store, sample));
  });
  return [
    row(`store: ${runs} runs of 11 files, one after another`, `${(alone / runs).toFixed(1)} ms a run`),
    row(`store: the same, ${JOBS} at a time`, `${(parallel / runs).toFixed(1)} ms a run`),
    row('store: time over writing the same bytes without fsync', `${(alone / plain).toFixed(1)} ×`),
    row(`store: the same, ${JOBS} at a time`, `${(parallel / plain).toFixed(1)} ×`),
  ];
}

/** @param {{ store: Store, folder: string, runs: number }} given */
async function memoryRows({ store, folder, runs }) {
  const home = join(folder, 'memory');
  const opened = await store.openStore(store.storeWorld(), home);
  const batch = async (/** @type {number} */ count) => {
    const ids = Array.from({ length: count }, () => v7());
    await inParallel(ids, (id) => write(opened.store, sampleRun(id)));
  };
  await batch(runs / 4);
  const before = heapBytes();
  await batch((runs * 3) / 4);
  const growth = (heapBytes() - before) / 1e6;
  const start = await milliseconds(async () => {
    await store.openStore(store.storeWorld(), home);
  });
  return [
    row(
      `store: heap after ${runs} runs over heap after ${runs / 4}`,
      `${growth.toFixed(1)} MB more`,
      'at most 2 MB more',
    ),
    row(`store: repair of a sound folder of ${runs} runs`, `${start.toFixed(0)} ms`),
  ];
}

/** @param {import('../core/conductor/ports.js').RunStore} store @param {ReturnType<typeof sampleRun>} sample */
async function write(store, sample) {
  await store.reserve(sample.invocationId);
  await store.write(sample);
}

/** What a store without any care would do with the same bytes. @param {string} folder @param {ReturnType<typeof sampleRun>} sample */
function writePlainly(folder, sample) {
  const home = join(folder, sample.invocationId);
  mkdirSync(join(home, 'crate'), { recursive: true });
  for (const place of [home, join(home, 'crate')]) {
    writeFileSync(join(place, 'request.json'), sample.request);
    writeFileSync(join(place, 'envelope.json'), sample.envelope);
    writeFileSync(join(place, 'spans.jsonl'), sample.spans);
    writeFileSync(join(place, 'grounding.txt'), sample.groundingText);
    writeFileSync(join(place, 'sources.txt'), sample.sourcesText);
  }
  writeFileSync(join(home, 'crate', 'ro-crate-metadata.json'), Buffer.alloc(4_500, 0x20));
  appendFileSync(join(folder, 'invocations.jsonl'), sample.envelope);
}

/** @template Item @param {readonly Item[]} items @param {(item: Item) => Promise<void>} work */
async function inParallel(items, work) {
  const queue = [...items];
  const lane = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: JOBS }, lane));
}

/** @param {() => Promise<void>} work */
async function milliseconds(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function heapBytes() {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** @returns {Row} */
function row(/** @type {string} */ name, /** @type {string} */ value, /** @type {string | null} */ target = null) {
  return { name, value, target };
}

/** A run of about 25 KB, as an agent with forty spans leaves it. */
function sampleRun(/** @type {string} */ invocationId) {
  const span = { name: 'retrieval', context: { trace_id: `0x${'a'.repeat(32)}`, span_id: `0x${'b'.repeat(16)}` } };
  const envelope = {
    invocation_id: invocationId,
    agent_id: 'bench.agent',
    agent_version: '1.0.0',
    completed_at: '2026-11-30T10:00:01.000000Z',
    grounding_mode: 'retrieval',
    policy_bundle_ref: 'profile:default@v1',
    acting_for: {
      principal_id: 'https://example.org/bench',
      name: 'Bench',
      principal_kind: 'person',
      assurance: 'asserted',
    },
    outcome: { status: 'succeeded', statement: 'A statement' },
    payload: { schema_class: 'Bench', grounded_on: [], text: 'x'.repeat(3_000) },
  };
  return {
    invocationId,
    request: Buffer.from(JSON.stringify({ invocation_id: invocationId, input: { text: 'y'.repeat(500) } }, null, 2)),
    envelope: Buffer.from(JSON.stringify(envelope, null, 2)),
    spans: Buffer.from(`${JSON.stringify({ ...span, attributes: { filler: 'z'.repeat(350) } })}\n`.repeat(40)),
    groundingText: 'grounding: passed [retrieval] (3 retrieval, 1 chat spans)\n',
    sourcesText: 'sources: 3 verified, 0 unresolved\n',
    schemas: new Map([['ab'.repeat(32), Buffer.from('{}')]]),
    crate: { startedAt: '2026-11-30T10:00:00.000000Z', agentDescription: 'A bench' },
  };
}

/** The store as the sources have it now, bundled beside the runs. @param {string} folder @returns {Promise<Store>} */
async function bundled(folder) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const outfile = join(folder, 'store.mjs');
  await build({
    stdin: {
      contents: "export * from './core/store/index.js'; export * from './core/io/store-files.js';",
      resolveDir: root,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile).href);
}
