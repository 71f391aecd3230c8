import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, expect } from 'vitest';
import type { FinishedRun } from '../../core/conductor/ports.js';
import { storeWorld } from '../../core/io/store-files.js';
import { canonicalBytes, parseJson, sha256Hex } from '../../core/json/index.js';
import { type OpenedStore, openStore, type StoreFiles } from '../../core/store/index.js';
import { sampleRun } from './sample-run.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A temporary folder that is gone after the test file; its real path. */
export function temporary(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'grounding-store-')));
  folders.push(folder);
  return folder;
}

/** Opens a store over the real files, or over `files`. */
export function opened(folder: string, files?: StoreFiles): Promise<OpenedStore> {
  const world = storeWorld();
  return openStore(files === undefined ? world : { ...world, files }, folder);
}

/** Opens, reserves and writes one run. */
export async function stored(folder: string, run: FinishedRun): Promise<void> {
  const { store } = await opened(folder);
  await store.reserve(run.invocationId);
  await store.write(run);
}

/** The code of the GateError that a step must reject with. */
export async function codeOf(step: Promise<unknown>): Promise<string> {
  try {
    await step;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : `no code: ${String(error)}`;
  }
  return 'fulfilled';
}

/** Names of the run folders, sorted. */
export function runNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => UUID.test(name))
    .sort();
}

/** The ids of the index lines in file order; every line must be strict JSON and end in a line feed. */
export function indexedIds(folder: string): string[] {
  return indexDocuments(folder).map(({ id }) => id);
}

function indexDocuments(folder: string): { id: string; bytes: Uint8Array }[] {
  let text: string;
  try {
    text = readFileSync(join(folder, 'invocations.jsonl'), 'utf8');
  } catch {
    return [];
  }
  const lines = text.split('\n');
  expect(lines.pop(), 'the index ends in a line feed').toBe('');
  return lines.map((line) => {
    const bytes = Buffer.from(line);
    const id = parseJson(bytes, { file: 'index' }).get('invocation_id')?.string() ?? 'no id';
    return { id, bytes };
  });
}

/** Asserts that nothing is torn: every folder is whole and listed once with the same document, and nothing else is left. */
export function expectSound(folder: string): void {
  const names = runNames(folder);
  const documents = indexDocuments(folder);
  expect(documents.map(({ id }) => id).sort()).toEqual(names);
  for (const { id, bytes } of documents) {
    const envelope = readFileSync(join(folder, id, 'envelope.json'));
    expect(hashOfDocument(bytes)).toBe(hashOfDocument(envelope));
    expectWhole(folder, id);
  }
  const others = readdirSync(folder).filter((name) => !UUID.test(name));
  expect(others.filter((name) => name !== 'invocations.jsonl' && name !== 'schemas')).toEqual([]);
}

/** Every file of the sample run, byte by byte. */
export function expectWhole(folder: string, id: string): void {
  const run = sampleRun(id);
  const read = (...path: string[]) => readFileSync(join(folder, id, ...path));
  for (const place of [[], ['crate']]) {
    expect(read(...place, 'request.json').equals(run.request)).toBe(true);
    expect(read(...place, 'envelope.json').equals(run.envelope)).toBe(true);
    expect(read(...place, 'spans.jsonl').equals(run.spans)).toBe(true);
    expect(read(...place, 'grounding.txt').toString()).toBe(run.groundingText);
    expect(read(...place, 'sources.txt').toString()).toBe(run.sourcesText);
  }
  parseJson(read('crate', 'ro-crate-metadata.json'), { file: 'crate' });
  expect(readdirSync(join(folder, id)).sort()).toEqual([
    'crate',
    'envelope.json',
    'grounding.txt',
    'request.json',
    'sources.txt',
    'spans.jsonl',
  ]);
}

function hashOfDocument(bytes: Uint8Array): string {
  return sha256Hex(canonicalBytes(parseJson(bytes, { file: 'document' }), 'dd-envelope-json-v1'));
}

/** Bundles driver.ts, and the thread beside it, into a folder of its own and gives its path. */
export async function bundledDriver(): Promise<string> {
  const folder = temporary();
  await build({
    entryPoints: {
      driver: fileURLToPath(new URL('driver.ts', import.meta.url)),
      'tree-thread': fileURLToPath(new URL('../../core/io/tree-thread.ts', import.meta.url)),
    },
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  // Without it, Node would take the files for CommonJS.
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return join(folder, 'driver.js');
}

/** A driver process with the lines it printed so far. */
export interface Driver {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Resolves with the first line (or a later one, counted from 1) that begins so; rejects when the process ends before. */
  said(beginning: string, count?: number): Promise<string>;
  /** Resolves with the exit code, or the signal's name. */
  readonly ended: Promise<number | string>;
}

export function startDriver(
  driver: string,
  args: readonly string[],
  options: { uid?: number; gid?: number } = {},
): Driver {
  const child = spawn(process.execPath, [driver, ...args], { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  let over = false;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    for (const look of waiting) look();
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => {
      over = true;
      for (const look of waiting) look();
      resolve(code ?? signal ?? 'unknown');
    });
  });
  const said = (beginning: string, count = 1) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const line = lines.filter((one) => one.startsWith(beginning))[count - 1];
        if (line === undefined && !over) return;
        waiting.delete(look);
        if (line === undefined) reject(new Error(`the driver ended without saying ${beginning}: ${lines.join(' | ')}`));
        else resolve(line);
      };
      waiting.add(look);
      look();
    });
  return { child, lines, said, ended };
}

/** Repeatable numbers in [0, 1) (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Puts a run folder in place by hand, without an index line. */
export function plantRun(folder: string, run: FinishedRun): void {
  const path = join(folder, run.invocationId);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'request.json'), run.request);
  writeFileSync(join(path, 'envelope.json'), run.envelope);
  writeFileSync(join(path, 'spans.jsonl'), run.spans);
  writeFileSync(join(path, 'grounding.txt'), run.groundingText);
  writeFileSync(join(path, 'sources.txt'), run.sourcesText);
}
