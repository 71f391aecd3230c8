import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JsonNode, parseJsonLines } from '../../core/json/index.js';
import { readEnvelope } from '../../core/lint/read-envelope.js';
import type { GroundingReport } from '../../core/model/report.js';
import { readSpans, type Span } from '../../core/trace/index.js';

/** test/vectors/stored-runs: runs made and judged by the reference, with its verdicts. */
const VECTORS = fileURLToPath(new URL('../vectors/stored-runs', import.meta.url));

/** One stored run with what the reference says about it. */
export interface StoredRun {
  readonly run: string;
  readonly changes: string;
  readonly spans: readonly Span[];
  readonly envelope: JsonNode;
  readonly expected: Verdict;
}

/** The part of a verdict that expected.jsonl states. */
export interface Verdict {
  readonly rules: readonly string[];
  readonly retrievals: number | undefined;
  readonly chats: number | undefined;
}

/** Every run of the vectors. */
export function storedRuns(): readonly StoredRun[] {
  const file = join(VECTORS, 'expected.jsonl');
  return [...parseJsonLines(readFileSync(file), { file })].map((line) => {
    const run = textOf(line.get('run'));
    const folder = join(VECTORS, 'runs', run);
    const grounding = line.get('grounding');
    return {
      run,
      changes: line.get('changes')?.items().map(textOf).join('+') || 'unchanged',
      spans: readSpans(readFileSync(join(folder, 'spans.jsonl')), { file: 'spans.jsonl' }),
      envelope: readEnvelope(readFileSync(join(folder, 'envelope.json')), { file: 'envelope.json' }),
      expected: {
        rules: grounding?.get('rules')?.items().map(textOf) ?? [],
        retrievals: grounding?.get('retrievals')?.integer(),
        chats: grounding?.get('chats')?.integer(),
      },
    };
  });
}

/** The run folders, counted apart from expected.jsonl. */
export function runFolders(): readonly string[] {
  const entries = readdirSync(join(VECTORS, 'runs'), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(VECTORS, 'runs', entry.name));
}

/** A report cut down to what expected.jsonl states. */
export function verdictOf(report: GroundingReport): Verdict {
  return { rules: [...report.rules].sort(), retrievals: report.retrievals, chats: report.chats };
}

function textOf(node: JsonNode | undefined): string {
  const text = node?.string();
  if (text === undefined) throw new Error('expected.jsonl does not have the shape that this test reads');
  return text;
}
