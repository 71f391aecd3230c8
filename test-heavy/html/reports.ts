import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { RUN_FILES } from '../../core/store/index.js';
import { hostileContents } from '../../test/html/hostile-run.js';

const ROOT = join(import.meta.dirname, '../..');
const CLI = join(ROOT, 'build/cli.js');
const VECTORS = join(ROOT, 'test/vectors/stored-runs');

/** Stored runs of the vectors, by what a page shows of them. */
export const RUNS = {
  /** G1 and S2, three retrievals, two model calls. */
  early: '01a0c455-db09-71eb-a5f5-1153b675b31f',
  /** Evidence whose content is not what the record says. */
  altered: '01a0c455-db04-7c34-921f-d107a97b855d',
  tampered: '01a0c455-c28c-745e-ac8d-854ece43bdab',
  passed: '01a0c455-bfcb-7c24-9143-1c1ba887ebdf',
  /** Copied and then broken. */
  unreadable: '01a0c455-c0fe-77eb-bbb0-30c757ff2b59',
} as const;

/** What a model may name itself, say and cite. */
export const EVIL = '"><img src=x onerror=alert(1)></script><script>alert(2)</script>\u202e';
export const EVIL_FOLDER = '"><img src=x onerror=alert(3)>';

/** Two reports on the disk: of stored and hostile runs, and of runs that were made a moment ago. */
export interface Reports {
  readonly stored: string;
  readonly made: string;
}

/** Makes both once for a file of tests. */
export function useReports(): () => Reports {
  const home = mkdtempSync(join(tmpdir(), 'grounding-pages-'));
  beforeAll(() => {
    makeStored(join(home, 'archive'));
    report(join(home, 'archive'), { output: join(home, 'stored'), sources: join(VECTORS, 'sources.yaml') });
    makeRuns(join(home, 'runs'));
    report(join(home, 'runs'), { output: join(home, 'made'), sources: join(ROOT, 'sources.yaml') });
  }, 120_000);
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  return () => ({ stored: pathToFileURL(join(home, 'stored')).href, made: pathToFileURL(join(home, 'made')).href });
}

/** The runs of a folder, by the agent that each is of. */
export function madeRuns(made: string, agent: string): readonly string[] {
  const folder = join(new URL(made).pathname, 'files');
  return readdirSync(folder)
    .sort()
    .filter((run) => JSON.parse(readFileSync(join(folder, run, 'envelope.json'), 'utf8')).agent_id === agent);
}

function makeStored(archive: string): void {
  mkdirSync(archive);
  for (const run of Object.values(RUNS)) cpSync(join(VECTORS, 'runs', run), join(archive, run), { recursive: true });
  // With an index, so that the runs beside those of the vectors are tampered with.
  const lines = readFileSync(join(VECTORS, 'runs/invocations.jsonl'), 'utf8').split('\n');
  const wanted: readonly string[] = Object.values(RUNS);
  writeFileSync(
    join(archive, 'invocations.jsonl'),
    lines.filter((line) => wanted.some((run) => line.includes(run))).join('\n'),
  );
  appendFileSync(join(archive, RUNS.unreadable, 'envelope.json'), `\n${EVIL}`);
  for (const folder of [EVIL_FOLDER, '__proto__']) {
    mkdirSync(join(archive, folder));
    for (const [file, bytes] of Object.entries(hostileContents(EVIL)))
      if (bytes !== undefined) writeFileSync(join(archive, folder, nameOf(file)), bytes);
  }
}

function nameOf(file: string): string {
  return new Map<string, string>(Object.entries(RUN_FILES)).get(file) ?? file;
}

function makeRuns(runs: string): void {
  const fixtures = ['orchestrator-two', 'miscites-altered', 'standards-ocean-climate', 'quality-poor-record'];
  execFileSync(
    process.execPath,
    [CLI, 'run', ...fixtures.map((name) => `examples/fixtures/${name}.json`), '--runs', runs],
    {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], DD_PRINCIPAL_ID: 'mailto:test@example.org', DD_PRINCIPAL_NAME: 'Test' },
    },
  );
}

function report(runs: string, { output, sources }: { readonly output: string; readonly sources: string }): void {
  execFileSync(
    process.execPath,
    [CLI, 'report', runs, '--output', output, '--sources', sources, '--agents', 'agents.yaml'],
    {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] },
    },
  );
}
