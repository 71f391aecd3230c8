import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonNode, parseJson } from '../../core/json/index.js';
import { judge } from '../../core/lint/index.js';
import { GateError } from '../../core/model/errors.js';
import type { GroundingReport } from '../../core/model/report.js';
import { GROUNDING_RULES } from '../../core/model/violation.js';
import { groundingText } from '../../core/report/grounding-text.js';
import { readSpans, type Span } from '../../core/trace/index.js';
import { type Json, mutate, mutations } from './mutate.js';
import { runFolders } from './stored-runs.js';

/** The stored runs as plain data, to be mutated. */
const RUNS = runFolders().map((folder) => ({
  envelope: readFileSync(`${folder}/envelope.json`, 'utf8'),
  spans: readFileSync(`${folder}/spans.jsonl`, 'utf8').trim().split('\n'),
}));
const run = fc.constantFrom(...RUNS);

describe('judge', () => {
  it('returns a consistent report whatever is done to a run', () => {
    const tally = { judged: 0, failed: 0 };
    const changed = fc.tuple(run, mutations, mutations, fc.boolean());
    fc.assert(
      fc.property(changed, ([{ envelope, spans }, toEnvelope, toSpans, both]) => {
        const document = mutated(envelope, toEnvelope);
        const lines = both ? mutatedLines(spans, toSpans) : spans;
        const read = readOrRefuse(lines);
        if (read === undefined) return;
        const report = judge(read, document);
        tally.judged++;
        if (!report.passed) tally.failed++;
        expectConsistent(report, document);
      }),
      { numRuns: 1500 },
    );
    // Were nearly all mutations refused or harmless, this test would show nothing.
    expect(tally.judged).toBeGreaterThan(900);
    expect(tally.failed).toBeGreaterThan(400);
  });

  it('returns the same rules when the null members outside content are left out', () => {
    fc.assert(
      fc.property(run, mutations, ({ envelope, spans }, changes) => {
        const document = mutated(envelope, changes);
        const read = readSpans(Buffer.from(spans.join('\n')), { file: 's' });
        const bare = JSON.stringify(withoutNulls(JSON.parse(document.text()) as Json));
        expect(judge(read, parsed(bare)).rules).toEqual(
          judge(read, parsed(JSON.stringify(JSON.parse(document.text())))).rules,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('returns the same rules when spans of unlike ids stand in another order', () => {
    const shuffled = run.chain(({ envelope, spans }) =>
      fc.record({
        envelope: fc.constant(envelope),
        spans: fc.constant(spans),
        order: fc.shuffledSubarray([...spans], { minLength: spans.length, maxLength: spans.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ envelope, spans, order }) => {
        const read = readSpans(Buffer.from(spans.join('\n')), { file: 's' });
        fc.pre(new Set(read.map((span) => span.spanId)).size === read.length);
        const again = readSpans(Buffer.from(order.join('\n')), { file: 's' });
        const [before, after] = [judge(read, parsed(envelope)), judge(again, parsed(envelope))];
        expect([after.rules, after.retrievals, after.chats]).toEqual([before.rules, before.retrievals, before.chats]);
      }),
      { numRuns: 200 },
    );
  });
});

function expectConsistent(report: GroundingReport, envelope: JsonNode): void {
  expect(report.passed).toBe(report.violations.length === 0);
  const broken = new Set(report.violations.map(({ rule }) => rule));
  expect(report.rules).toEqual(GROUNDING_RULES.filter((rule) => broken.has(rule)));
  expect(groundingText(report).startsWith(`grounding: ${report.passed ? 'passed' : 'FAILED'} [`)).toBe(true);
  for (const { pointer, place } of report.violations) {
    if (pointer !== undefined) expect(place).toEqual(envelope.locate(pointer)?.place());
  }
}

function parsed(text: string): JsonNode {
  return parseJson(Buffer.from(text), { file: 'envelope.json' });
}

function mutated(text: string, changes: Parameters<typeof mutate>[1]): JsonNode {
  const document = JSON.parse(text) as Json;
  mutate(document, changes);
  return parsed(JSON.stringify(document, null, 1));
}

function mutatedLines(lines: readonly string[], changes: Parameters<typeof mutate>[1]): string[] {
  const document = lines.map((line) => JSON.parse(line) as Json);
  mutate(document, changes);
  return document.map((line) => JSON.stringify(line));
}

/** Undefined when the file is unreadable, which is the one refusal that is allowed. */
function readOrRefuse(lines: readonly string[]): Span[] | undefined {
  try {
    return readSpans(Buffer.from(lines.join('\n')), { file: 'spans.jsonl' });
  } catch (error) {
    if (error instanceof GateError && error.blame === 'unreadable') return undefined;
    throw error;
  }
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, key === 'content' ? member : withoutNulls(member)]));
}
