// The report page over many stored runs: what it takes to write, how large it is, and how long Chromium needs to show it.
// Every report is written by a process of its own; pages are opened from the disk, each time in a new window.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { makeArchive, VECTORS } from './archive.mjs';

/** @typedef {{ name: string, value: string, target: string | null }} Row */
/** @typedef {{ seconds: number, megabytes: number }} Written */
/** @typedef {{ shown: number, searched: number, heap: number }} Loaded */

const CLI = join(dirname(fileURLToPath(import.meta.url)), '../build/cli.js');
/** Tells the most memory that a process had. */
const TELL =
  "data:text/javascript,process.on('exit',()=>process.stderr.write(`used ${process.resourceUsage().maxRSS}`))";
const ROUNDS = 5;

/**
 * The rows of the bench; `quick` takes a tenth of the runs.
 * @param {{ quick?: boolean, runs?: number }} options
 * @returns {Promise<Row[]>}
 */
export async function run({ quick = false, runs = quick ? 1000 : 10_000 } = {}) {
  if (!existsSync(CLI)) throw new Error('build/cli.js is missing: run the build first');
  const folder = mkdtempSync(join(tmpdir(), 'grounding-bench-html-'));
  try {
    const small = report(folder, runs / 10);
    const large = report(folder, runs);
    return await rowsOf(join(folder, `report-${runs}`), { runs, small, large });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} report
 * @param {{ runs: number, small: Written, large: Written }} written
 * @returns {Promise<Row[]>}
 */
async function rowsOf(report, { runs, small, large }) {
  const overview = join(report, 'index.html');
  const pages = readdirSync(join(report, 'runs')).map((name) => statSync(join(report, 'runs', name)).size);
  if (pages.length !== runs) throw new Error(`${pages.length} of ${runs} runs have a page`);
  const [page = ''] = readdirSync(join(report, 'runs'));
  const loaded = await load(pathToFileURL(overview).href, runs);
  const single = await load(pathToFileURL(join(report, 'runs', page)).href, null);
  const mean = pages.reduce((sum, size) => sum + size, 0) / runs;
  const of = `report of ${runs} runs`;
  return [
    row(`${of}: time a run, judging included`, `${((large.seconds / runs) * 1000).toFixed(1)} ms`, null),
    row(`${of}: most memory`, `${large.megabytes.toFixed(0)} MB`, 'under 300 MB'),
    row(`${of}: memory over a tenth of them`, `${(large.megabytes - small.megabytes).toFixed(0)} MB more`, null),
    row(`${of}: size of the overview`, `${(statSync(overview).size / 1e6).toFixed(2)} MB`, null),
    row(`${of}: size of a run's page, on average`, `${(mean / 1e3).toFixed(0)} kB`, null),
    row(`${of}: the overview is there, list drawn`, `${loaded.shown.toFixed(0)} ms`, 'under 1,000 ms'),
    row(`${of}: a search through all of them`, `${loaded.searched.toFixed(0)} ms`, null),
    row(`${of}: memory of the overview's script`, `${(loaded.heap / 1e6).toFixed(1)} MB`, null),
    row(`${of}: a run's page is there`, `${single.shown.toFixed(0)} ms`, null),
  ];
}

/**
 * Writes a report of so many runs.
 * @param {string} folder
 * @param {number} runs
 * @returns {Written}
 */
function report(folder, runs) {
  const archive = join(folder, `archive-${runs}`);
  makeArchive(archive, runs);
  const args = [
    'report',
    archive,
    '--sources',
    join(VECTORS, 'sources.yaml'),
    '--output',
    join(folder, `report-${runs}`),
  ];
  const begun = process.hrtime.bigint();
  const child = spawnSync(process.execPath, ['--import', TELL, CLI, ...args], { encoding: 'utf8' });
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  if (child.status !== 0) throw new Error(`the report ended with ${child.status}: ${child.stderr}`);
  return { seconds, megabytes: Number(/used (\d+)/.exec(child.stderr)?.[1]) / 1024 };
}

/**
 * Opens a page in new windows, the fastest of which counts; `runs` is what its list has to tell.
 * @param {string} url
 * @param {number | null} runs
 * @returns {Promise<Loaded>}
 */
async function load(url, runs) {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--enable-precise-memory-info'],
  });
  try {
    /** @type {Loaded[]} */
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      const page = await browser.newPage();
      await page.goto(url);
      /** @type {Loaded} */
      const measured = await page.evaluate(`(async () => {
        const shown = performance.getEntriesByType('navigation')[0].loadEventEnd;
        const heap = performance.memory.usedJSHeapSize;
        const told = document.getElementById('told');
        if (told === null) return { shown, heap, searched: 0 };
        if (${JSON.stringify(runs)} !== null && !told.textContent.endsWith(' of ${runs} runs')) throw new Error(told.textContent);
        const search = document.getElementById('q');
        const begun = performance.now();
        search.value = 'case.retrieval succeeded';
        search.dispatchEvent(new Event('input', { bubbles: true }));
        document.body.getBoundingClientRect();
        return { shown, heap, searched: performance.now() - begun };
      })()`);
      rounds.push(measured);
      await page.close();
    }
    const least = (/** @type {(one: Loaded) => number} */ of) => Math.min(...rounds.map(of));
    return { shown: least((one) => one.shown), searched: least((one) => one.searched), heap: least((one) => one.heap) };
  } finally {
    await browser.close();
  }
}

/** @returns {Row} */
function row(/** @type {string} */ name, /** @type {string} */ value, /** @type {string | null} */ target) {
  return { name, value, target };
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const runs = process.argv.find((arg) => /^\d+$/.test(arg));
  console.table(await run({ quick: process.argv.includes('--quick'), ...(runs && { runs: Number(runs) }) }));
}
