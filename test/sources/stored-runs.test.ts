import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { diskSourceFiles } from '../../core/io/source-files.js';
import { parseJson, parseJsonLines } from '../../core/json/index.js';
import { conclude, judgeFacts } from '../../core/sources/check.js';
import { collectFacts } from '../../core/sources/collect.js';
import { checkSources, loadSources, SOURCE_CHECKS, type SourceRule } from '../../core/sources/index.js';

// Stored runs made by the reference; expected.jsonl names what its own checks found in each.
const VECTORS = join(import.meta.dirname, '../vectors/stored-runs');
const copies = loadSources(diskSourceFiles, { sourcesPath: join(VECTORS, 'sources.yaml'), named: true });
afterAll(() => copies.close());

const expected = [...parseJsonLines(readFileSync(join(VECTORS, 'expected.jsonl')), { file: 'expected.jsonl' })].map(
  (row) => {
    const sources = row.get('sources');
    return {
      run: row.get('run')?.string() ?? '',
      rules: sources
        ?.get('rules')
        ?.items()
        .map((rule) => rule.string()),
      verified: sources?.get('verified')?.integer(),
      unresolved: sources?.get('unresolved')?.integer(),
    };
  },
);

function envelopeOf(run: string) {
  const file = join(VECTORS, 'runs', run, 'envelope.json');
  return parseJson(readFileSync(file), { file });
}

test('has a verdict for each of the 260 runs', () => {
  expect(expected).toHaveLength(260);
  const folders = readdirSync(join(VECTORS, 'runs')).filter((name) => !name.includes('.'));
  expect(folders.sort()).toEqual(expected.map(({ run }) => run).sort());
});

test.each(expected)('returns what the reference found in $run', ({ run, rules, verified, unresolved }) => {
  const report = checkSources(envelopeOf(run), copies);
  expect({ rules: [...report.rules].sort(), verified: report.verified, unresolved: report.unresolved.length }).toEqual({
    rules,
    verified,
    unresolved,
  });
  expect(report.passed).toBe(report.rules.length === 0);
});

/** How many of the runs get another verdict when one rule finds nothing. */
function differencesWithout(id: SourceRule['id']): number {
  const stubbed = SOURCE_CHECKS.map((rule) => (rule.id === id ? { ...rule, check: () => null } : rule));
  return expected.filter(({ run, rules, verified }) => {
    const facts = collectFacts(envelopeOf(run), copies);
    const report = conclude(facts, judgeFacts(stubbed, facts));
    return report.verified !== verified || [...report.rules].sort().join() !== rules?.join();
  }).length;
}

test.each(SOURCE_CHECKS.map((rule) => rule.id))('would notice if %s were never applied', (id) => {
  expect(differencesWithout(id)).toBeGreaterThan(0);
});
