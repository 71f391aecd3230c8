// Judging stored runs again, against the floor: reading the same files, JSON.parse of every line, one SHA-256 a file. Every
// measurement is a process of its own, start included, and the fastest of several by turns counts.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeArchive, VECTORS } from './archive.mjs';

/** @typedef {{ name: string, value: string, target: string | null }} Row */
/** @typedef {{ seconds: number, processor: number, megabytes: number, out: string }} Measured */

const here = dirname(fileURLToPath(import.meta.url));
const CLI = join(here, '../build/cli.js');
const FLOOR = join(here, 'reverify-floor.mjs');
/** Tells the most memory that a process had, and its processor time in microseconds. */
const TELL =
  "data:text/javascript,process.on('exit',()=>{const{maxRSS,userCPUTime,systemCPUTime}=process.resourceUsage();" +
  'process.stderr.write(`used ${maxRSS} ${userCPUTime+systemCPUTime}`)})';
const ROUNDS = 3;

/**
 * The rows of the bench; `quick` takes a twentieth of the runs.
 * @param {{ quick?: boolean, runs?: number }} options
 * @returns {Promise<Row[]>}
 */
export async function run({ quick = false, runs = quick ? 1000 : 20_000 } = {}) {
  if (!existsSync(CLI)) throw new Error('build/cli.js is missing: run the build first');
  const folder = mkdtempSync(join(tmpdir(), 'grounding-bench-reverify-'));
  try {
    makeArchive(join(folder, 'small'), runs / 10);
    makeArchive(join(folder, 'large'), runs);
    return rowsOf(folder, runs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {number} runs
 * @returns {Row[]}
 */
function rowsOf(folder, runs) {
  const large = join(folder, 'large');
  const cached = ['--jobs', '1', '--cache', join(folder, 'cache')];
  reverify(large, cached);
  const [floor, one, two, small, warm] = fastest([
    () => measure([FLOOR, large]),
    () => reverify(large, ['--jobs', '1']),
    () => reverify(large, ['--jobs', '2']),
    () => reverify(join(folder, 'small'), ['--jobs', '1']),
    () => reverify(large, cached),
  ]);
  if (floor === undefined || one === undefined || two === undefined || small === undefined || warm === undefined)
    throw new Error('a measurement is missing');
  expectRuns(one, runs);
  expectRuns(two, runs);
  if (!warm.out.includes(`${runs} taken from the cache`)) throw new Error('the cache was not used');
  const times = (/** @type {number} */ value) => `${value.toFixed(2)}×`;
  return [
    row(`reverify ${runs} runs: rate of one job`, `${Math.round(runs / one.seconds)} runs/s`, null),
    row(`reverify ${runs} runs: floor (read, JSON.parse, SHA-256)`, `${Math.round(runs / floor.seconds)} runs/s`, null),
    row(`reverify ${runs} runs: time of one job over the floor`, times(one.seconds / floor.seconds), 'under 1.80×'),
    row(
      `reverify ${runs} runs: processor time of one job over the floor`,
      times(one.processor / floor.processor),
      null,
    ),
    row(`reverify ${runs} runs: time of two jobs over the floor`, times(two.seconds / floor.seconds), 'at most 1.00×'),
    row(
      `reverify ${runs} runs: processor time over a tenth of them`,
      times(one.processor / small.processor),
      'at most 10.50×',
    ),
    row(
      `reverify ${runs} runs: most memory`,
      `${Math.max(one.megabytes, two.megabytes).toFixed(0)} MB`,
      'under 300 MB',
    ),
    row(
      `reverify ${runs} runs: memory over a tenth of them`,
      `${(one.megabytes - small.megabytes).toFixed(0)} MB more`,
      null,
    ),
    row(`reverify ${runs} runs: processor time with everything cached`, times(warm.processor / one.processor), null),
  ];
}

/**
 * @param {string} runs
 * @param {readonly string[]} more
 */
function reverify(runs, more) {
  return measure([CLI, 'reverify', runs, '--sources', join(VECTORS, 'sources.yaml'), ...more]);
}

/**
 * Measures by turns, so that a slow moment of the machine meets all alike.
 * @param {readonly (() => Measured)[]} measurements
 */
function fastest(measurements) {
  const rounds = Array.from({ length: ROUNDS }, () => measurements.map((measured) => measured()));
  return measurements.map((_, at) => {
    const measured = rounds.flatMap((round) => round[at] ?? []);
    const least = (/** @type {(one: Measured) => number} */ of) => Math.min(...measured.map(of));
    const [first] = measured;
    return first && { ...first, seconds: least((one) => one.seconds), processor: least((one) => one.processor) };
  });
}

/**
 * @param {readonly string[]} args
 * @returns {Measured}
 */
function measure(args) {
  const begun = process.hrtime.bigint();
  const child = spawnSync(process.execPath, ['--import', TELL, ...args], { encoding: 'utf8', maxBuffer: 1 << 30 });
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  if (child.status !== 0 && child.status !== 1)
    throw new Error(`${args.join(' ')} ended with ${child.status}: ${child.stderr}`);
  const [, peak, processor] = /used (\d+) (\d+)/.exec(child.stderr) ?? [];
  return { seconds, processor: Number(processor) / 1e6, megabytes: Number(peak) / 1024, out: child.stdout };
}

/**
 * A bench that judges something else measures nothing.
 * @param {Measured} measured
 * @param {number} runs
 */
function expectRuns({ out }, runs) {
  if (!out.includes(`${runs} runs:`)) throw new Error(`not every run was judged: ${out.slice(-300)}`);
}

/** @returns {Row} */
function row(/** @type {string} */ name, /** @type {string} */ value, /** @type {string | null} */ target) {
  return { name, value, target };
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const runs = process.argv.find((arg) => /^\d+$/.test(arg));
  console.table(await run({ quick: process.argv.includes('--quick'), ...(runs && { runs: Number(runs) }) }));
}
