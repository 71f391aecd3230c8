import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith, ROOT } from './grounding.js';

export const VECTORS = join(ROOT, 'test/vectors/stored-runs');

/** A line of `reverify --format json`. */
export interface Row {
  readonly run: string;
  readonly state: string;
  readonly error: string | null;
  readonly drift?: string;
  readonly failing_since?: string | null;
  readonly sealed?: boolean;
}

/** An archive of the vectors' first runs that pass alone, so that a single change shows; sources.yaml stands beside it. */
export function passingArchive(count = 12): {
  readonly home: string;
  readonly runs: string;
  readonly names: readonly string[];
} {
  const home = folderWith({});
  for (const file of ['sources.yaml', 'snapshot.jsonl', 'sources.json']) cpSync(join(VECTORS, file), join(home, file));
  const expected: readonly { run: string; passed: boolean }[] = readFileSync(join(VECTORS, 'expected.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const names = expected
    .filter(({ passed }) => passed)
    .map(({ run }) => run)
    .filter((run) => !readFileSync(join(VECTORS, 'runs', run, 'envelope.json'), 'utf8').includes('"delegations"'))
    .slice(0, count);
  const runs = join(home, 'runs');
  mkdirSync(runs);
  for (const name of names) cpSync(join(VECTORS, 'runs', name), join(runs, name), { recursive: true });
  const lines = readFileSync(join(VECTORS, 'runs/invocations.jsonl'), 'utf8').split('\n');
  const kept = lines.filter((line) => names.some((name) => line.startsWith(`{"invocation_id":"${name}"`)));
  writeFileSync(join(runs, 'invocations.jsonl'), kept.map((line) => `${line}\n`).join(''));
  return { home, runs, names };
}

/** The rows of a report in JSON. */
export const rowsOf = (text: string): readonly Row[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Makes a run fail by a fault of its own that no other test sees: its grounding.txt says something else. */
export const tamper = (runs: string, name = ''): void =>
  writeFileSync(join(runs, name, 'grounding.txt'), 'grounding: other\n');
