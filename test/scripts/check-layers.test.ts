import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { checkFile, checkLayers } from '../../scripts/check-layers.mjs';
import { LAYERS, layerOf, layersAsMarkdown } from '../../scripts/layers.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const temporary: string[] = [];
afterEach(() => {
  for (const folder of temporary.splice(0)) rmSync(folder, { recursive: true });
});

/** Each line of planted code breaks the table once; the file says where it stands. */
const PLANTED: readonly (readonly [file: string, code: string])[] = [
  ['core/model/a.ts', "import { readFileSync } from 'node:fs';"],
  ['core/model/a.ts', "import { readFile } from 'fs/promises';"],
  ['core/lint/a.ts', "import { request } from 'node:http';"],
  ['core/lint/a.ts', "import { spawn } from 'node:child_process';"],
  ['core/contract/a.ts', "import { Worker } from 'node:worker_threads';"],
  ['core/json/a.ts', "import type { Report } from '../report/report.js';"],
  ['core/json/a.ts', "export type { Report } from '../report/report.js';"],
  ['core/json/a.ts', "export * from '../report/report.js';"],
  ['core/json/a.ts', "type R = import('../report/report.js').Report;"],
  ['core/json/a.ts', "const late = await import('../report/report.js');"],
  ['core/json/a.ts', 'const late = await import(name);'],
  ['core/json/a.ts', "import '../../scripts/layers.mjs';"],
  ['core/json/a.ts', "import Ajv from 'ajv';"],
  ['core/lint/rules/a.ts', "import { g1 } from './g1.js';"],
  ['core/lint/rules/a.ts', "import { lint } from '../lint.js';"],
  ['core/store/a.ts', 'const cwd = process.cwd();'],
  ['core/store/a.ts', 'const { cwd } = process;'],
  ['core/store/a.ts', 'const world = { process };'],
  ['core/report/a.ts', 'console.log(1);'],
  ['core/report/a.ts', 'const at = new Date();'],
  ['core/report/a.ts', 'const at = Date.now();'],
  ['core/report/a.ts', 'const dice = Math.random();'],
  ['core/report/a.ts', 'const at = performance.now();'],
  ['core/sources/a.ts', 'const answer = await fetch(url);'],
  ['core/agents/a.ts', "import { randomBytes } from 'node:crypto';"],
  ['core/agents/a.ts', "import * as crypto from 'node:crypto';"],
  ['core/agents/a.ts', 'const id = crypto.randomUUID();'],
  ['core/agents/a.ts', 'const p = globalThis["process"];'],
  ['core/cli/a.ts', 'process.exit(0);'],
  ['core/cli/a.ts', 'function f(process: P) { return process; } process.exit(0);'],
  ['core/cli/a.ts', '{ const process = 1; } const at = process;'],
  ['core/cli/main.ts', "import { judge } from '../lint/index.js';"],
  ['core/elsewhere/a.ts', 'export const one = 1;'],
  ['action/main.ts', "import { judge } from '../core/lint/index.js';"],
  ['bot/main.ts', "import { run } from '../action/run.js';"],
];

/** What stands in the table, and names that only look like the world. */
const ALLOWED: readonly (readonly [file: string, code: string])[] = [
  ['core/json/a.ts', "import { createHash } from 'node:crypto';"],
  ['core/json/a.ts', "import { gateError } from '../model/error-codes.js';"],
  ['core/json/a.ts', "import schema from '../../schemas/envelope.json' with { type: 'json' };"],
  ['core/json/a.ts', 'const clock = { Date: 1, process: 2 }; const x = clock.process + clock.Date;'],
  ['core/agents/a.ts', 'function f(process: P) { const g = () => process.kill(); return { process }; }'],
  ['core/agents/a.ts', 'const f = ({ a: [process] = [] }: P) => { for (const Date of process) Date.x(); };'],
  ['core/agents/a.ts', 'interface I { start(process: P): void } type F = (fetch: P) => void;'],
  ['core/io/a.ts', "import { readFileSync } from 'node:fs'; const at = Date.now(); process.exit(0);"],
  ['core/cli/main.ts', "import { runCli } from './run-cli.js'; process.exitCode = 1;"],
  ['core/lint/rules/a.ts', "import type { Rule } from '../rule.js';"],
  ['action/main.ts', "import { judge } from '../core/index.js';"],
];

test.each(PLANTED)('returns the violation with its line when %s holds `%s`', (file, code) => {
  const found = checkFile({ file, text: `// first line\n\n${code}\n` });
  expect(found.length).toBeGreaterThan(0);
  expect(found.every((one) => one.file === file)).toBe(true);
  // A file of no layer is refused as a whole, so on its first line.
  expect(new Set(found.map((one) => one.line))).toEqual(new Set([file.startsWith('core/elsewhere') ? 1 : 3]));
});

test.each(ALLOWED)('returns nothing when %s holds `%s`', (file, code) => {
  expect(checkFile({ file, text: code })).toEqual([]);
});

test('returns a planted violation when it walks a tree', () => {
  const folder = mkdtempSync(join(tmpdir(), 'layers-'));
  temporary.push(folder);
  mkdirSync(join(folder, 'core/lint/rules'), { recursive: true });
  writeFileSync(join(folder, 'core/lint/rules/g9.ts'), "export const ok = 1;\nimport fs from 'node:fs';\n");
  expect(checkLayers(folder)).toMatchObject([{ file: 'core/lint/rules/g9.ts', line: 2 }]);
});

test('returns nothing when it walks this repository', () => {
  expect(checkLayers(root)).toEqual([]);
});

test('lets no two layers import each other unless one stands in the other', () => {
  const pairs = LAYERS.flatMap((layer) =>
    layer.mayImport
      .filter((name) => layerOf(name)?.mayImport.includes(layer.folder))
      .map((name) => (layer.folder < name ? `${layer.folder} ${name}` : `${name} ${layer.folder}`)),
  );
  expect([...new Set(pairs)]).toEqual(['core/contract core/contract/generated', 'core/lint core/lint/rules']);
});

test('names only layers that exist when a layer says what it may import', () => {
  const known = new Set(LAYERS.map((layer) => layer.folder));
  expect(LAYERS.flatMap((layer) => layer.mayImport).filter((name) => !known.has(name))).toEqual([]);
});

test('prints the table in docs/architecture.md as it is enforced', () => {
  expect(readFileSync(join(root, 'docs/architecture.md'), 'utf8')).toContain(layersAsMarkdown());
});
