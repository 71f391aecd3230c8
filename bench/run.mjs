// Runs every bench in a process of its own, so that none pays for another's memory, and prints one table of ratios.
// `--quick` takes smaller inputs, `--only NAME` one bench, `--write` keeps the table in docs/performance.md.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** @typedef {{ name: string, value: string, target: string | null }} Row */

// What measures how fast runs are written stands first: a file system such as ext4 looks past each entry that was removed in the
// last minutes before it gives out a new one, and other benches remove several hundred thousand.
const BENCHES = [
  'services',
  'store',
  'hash',
  'lint',
  'sources',
  'reverify',
  'startup',
  'html',
  'witness',
  'action',
  'bot',
];
const here = dirname(fileURLToPath(import.meta.url));
const page = join(here, '..', 'docs', 'performance.md');
const BEGIN = '<!-- bench: begin -->';
const END = '<!-- bench: end -->';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string' },
    rows: { type: 'string' },
  },
});

if (values.rows !== undefined) await printRows(values.rows);
else main();

function main() {
  const wanted = values.only === undefined ? BENCHES : BENCHES.filter((name) => name === values.only);
  if (wanted.length === 0) throw new Error(`no bench is named ${values.only}; there are ${BENCHES.join(', ')}`);
  const rows = wanted.flatMap(inOwnProcess);
  const table = asMarkdown(rows);
  console.log(table);
  if (values.write) keep(table);
}

/** The parent's half: runs one bench and reads its rows from the last line that it prints. */
function inOwnProcess(/** @type {string} */ name) {
  const args = ['--expose-gc', fileURLToPath(import.meta.url), '--rows', name, ...(values.quick ? ['--quick'] : [])];
  const child = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`bench/${name}.mjs ended with ${child.status ?? child.signal}`);
  /** @type {readonly Row[]} */
  const rows = JSON.parse(child.stdout.trimEnd().split('\n').at(-1) ?? '');
  if (rows.length === 0) throw new Error(`bench/${name}.mjs measured nothing`);
  return rows;
}

/** The child's half. */
async function printRows(/** @type {string} */ name) {
  const bench = await import(`./${name}.mjs`);
  console.log(JSON.stringify(await bench.run({ quick: values.quick })));
}

function asMarkdown(/** @type {readonly Row[]} */ rows) {
  const cells = [['measured', 'value', 'target'], ...rows.map((row) => [row.name, row.value, row.target ?? ''])];
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const lines = cells.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return lines.join('\n');
}

function keep(/** @type {string} */ table) {
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/performance.md lacks ${BEGIN} … ${END}`);
  const where = `Node ${process.versions.node}, ${availableParallelism()} cores, ${values.quick ? 'quick' : 'full'} inputs.`;
  writeFileSync(page, `${before}${BEGIN}\n${where}\n\n${table}\n${END}${after}`);
}
