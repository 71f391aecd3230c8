// Pinning, indexing and asking a large source copy, against plain SHA-256 of the file and JSON.parse of its lines.
// Each measurement is a process of its own, so that its peak memory is its own.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** @typedef {{ name: string, value: string, target: string | null }} Row */
/** @typedef {{ seconds: number, peakBytes: number }} Measured */

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const RECORDS = 2_000_000;
/** One question for so many records. */
const RECORDS_A_QUESTION = 200;
const BLOCK_BYTES = 1 << 20;
const REF = 'snapshot:bench';

/**
 * The rows of the bench; `quick` takes a copy of a tenth of the size.
 * @param {{ quick?: boolean }} options
 * @returns {Promise<Row[]>}
 */
export async function run({ quick = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'grounding-bench-'));
  try {
    const records = quick ? RECORDS / 10 : RECORDS;
    const size = makeCopy(join(folder, 'copy.jsonl'), records);
    await bundle(join(folder, 'bundle.mjs'));
    // A small copy is soon read, so that what else the machine does weighs more: the best of three counts.
    const measure = (/** @type {string} */ what) => bestOf(quick ? 3 : 1, () => inChild(what, { folder, records }));
    const [hashed, parsed, pinned, indexed] = ['hash', 'parse', 'pin', 'index'].map(measure);
    if (hashed === undefined || parsed === undefined || pinned === undefined || indexed === undefined)
      throw new Error('a measurement is missing');
    const what = `${Math.round(size / 1e6)} MB copy of ${records} records`;
    const ratio = (/** @type {Measured} */ base) => `${(indexed.seconds / base.seconds).toFixed(2)}×`;
    return [
      row(`${what}: times JSON.parse of its lines, indexed and asked`, ratio(parsed), 'under 2×'),
      row(`${what}: times SHA-256 of the file, indexed and asked`, ratio(hashed), null),
      row(
        `${what}: processor time, indexed and asked ${records / RECORDS_A_QUESTION} times`,
        `${indexed.seconds.toFixed(1)} s`,
        null,
      ),
      row(`${what}: peak memory, indexed and asked`, megabytes(indexed), 'under 400 MB'),
      row(`${what}: peak memory, pinned`, megabytes(pinned), 'under 400 MB'),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns {Measured} */
function bestOf(/** @type {number} */ times, /** @type {() => Measured} */ measure) {
  const all = Array.from({ length: times }, measure);
  const seconds = Math.min(...all.map((one) => one.seconds));
  return { seconds, peakBytes: Math.max(...all.map((one) => one.peakBytes)) };
}

/** @returns {Row} */
function row(/** @type {string} */ name, /** @type {string} */ value, /** @type {string | null} */ target) {
  return { name, value, target };
}

function megabytes(/** @type {Measured} */ measured) {
  return `${(measured.peakBytes / 1e6).toFixed(0)} MB`;
}

/** Writes a copy in the shape of a registry's export, about 500 bytes a record; returns its size. */
export function makeCopy(/** @type {string} */ path, /** @type {number} */ records) {
  const file = openSync(path, 'w');
  let size = 0;
  for (let from = 0; from < records; from += 10_000) {
    const lines = Array.from({ length: Math.min(10_000, records - from) }, (_, at) => `${recordText(from + at)}\n`);
    size += writeSync(file, lines.join(''));
  }
  closeSync(file);
  return size;
}

function recordText(/** @type {number} */ at) {
  return JSON.stringify({
    record_id: recordId(at),
    doi: `10.1234/record.${at}`,
    name: `Record number ${at} of the bench`,
    abbreviation: at % 3 === 0 ? null : `R${at}`,
    record_type: 'model_and_format',
    status: at % 11 === 0 ? 'deprecated' : 'ready',
    description: `A sentence about the record, as long as such sentences are, na\u00efve \u8d44\u6599 included; number ${at} says nothing else, and says it at some length so that the record has its size.`,
    subjects: ['Subject Agnostic', 'Computer Science', 'Life Science'],
    domains: ['Resource metadata', 'Data model'],
    score: at / 8,
    homepage: `https://example.org/records/${at}`,
  });
}

export function recordId(/** @type {number} */ at) {
  return `record.${(at * 2654435761).toString(36)}`;
}

/** The parts under test as one file, so that a child starts as the command line does. */
async function bundle(/** @type {string} */ outfile) {
  const contents = `
    export { diskSourceFiles } from './core/io/source-files.js';
    export { loadSources, pinSource } from './core/sources/index.js';`;
  const stdin = { contents, resolveDir: root, loader: /** @type {const} */ ('ts') };
  await build({ stdin, outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'warning' });
}

/**
 * Runs one measurement in a child.
 * @param {string} what
 * @param {{ folder: string, records: number }} given
 * @returns {Measured}
 */
function inChild(what, { folder, records }) {
  const args = [fileURLToPath(import.meta.url), '--child', what, folder, String(records)];
  const child = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`the child that measures ${what} ended with ${child.status ?? child.signal}`);
  return JSON.parse(child.stdout);
}

/** The child's half: what each measurement does. */
async function measured(
  /** @type {string} */ what,
  /** @type {{ folder: string, records: number }} */ { folder, records },
) {
  const copy = join(folder, 'copy.jsonl');
  const sourcesPath = join(folder, 'sources.yaml');
  if (what === 'hash') return hashFile(copy);
  if (what === 'parse') return parseLines(copy);
  const { diskSourceFiles, loadSources, pinSource } = await import(pathToFileURL(join(folder, 'bundle.mjs')).href);
  if (what === 'pin') return pinSource(diskSourceFiles, { sourcesPath, file: copy, ref: REF, idField: 'record_id' });
  const copies = loadSources(diskSourceFiles, { sourcesPath, named: true });
  const pinned = copies.copyFor(REF);
  for (let at = 0; at < records; at += RECORDS_A_QUESTION) {
    // A bench that measures a wrong answer measures nothing.
    if (pinned.find(recordId(at))?.text() !== recordText(at)) throw new Error(`record ${at} was not found`);
  }
  if (pinned.find('no such record') !== undefined) throw new Error('a record was found that does not exist');
}

function hashFile(/** @type {string} */ path) {
  const digest = createHash('sha256');
  for (const block of blocksOf(path)) digest.update(block);
  digest.digest('hex');
}

function parseLines(/** @type {string} */ path) {
  let rest = Buffer.alloc(0);
  let names = 0;
  for (const block of blocksOf(path)) {
    const bytes = Buffer.concat([rest, block]);
    let from = 0;
    for (let feed = bytes.indexOf(0x0a); feed !== -1; feed = bytes.indexOf(0x0a, from)) {
      names += JSON.parse(bytes.toString('utf8', from, feed)).name.length;
      from = feed + 1;
    }
    rest = bytes.subarray(from);
  }
  if (names === 0) throw new Error('nothing was parsed');
}

/** @returns {Generator<Buffer>} */
function* blocksOf(/** @type {string} */ path) {
  const file = openSync(path, 'r');
  const block = Buffer.alloc(BLOCK_BYTES);
  for (let count = readSync(file, block); count > 0; count = readSync(file, block)) yield block.subarray(0, count);
  closeSync(file);
}

if (process.argv[2] === '--child') {
  const [, , , what = '', folder = '', records = ''] = process.argv;
  const before = process.cpuUsage();
  await measured(what, { folder, records: Number(records) });
  const { user, system } = process.cpuUsage(before);
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  console.log(JSON.stringify({ seconds: (user + system) / 1e6, peakBytes }));
}
