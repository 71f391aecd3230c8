import { describe, expect, it } from 'vitest';
import type { GroundingReport, SourcesReport, WitnessReport } from '../../core/model/report.js';
import { basisOf, basisText } from '../../core/report/basis.js';
import { renderJunit } from '../../core/report/junit.js';
import { renderMarkdown, SUMMARY_BUDGET } from '../../core/report/markdown.js';
import { renderReportJson } from '../../core/report/report-json.js';
import { reportOfRun } from '../../core/report/report-of-run.js';
import { renderRunText } from '../../core/report/run-text.js';
import { renderSarif } from '../../core/report/sarif.js';
import { PASSED, reportOf, row } from './make-report.js';
import { schemaFaults } from './published.js';

const cited = (sourceId: string, more: { readonly witnessed?: true; readonly evidence?: false } = {}) => ({
  sourceId,
  contentHash: 'a'.repeat(64),
  witnessed: more.witnessed ?? false,
  evidence: more.evidence ?? true,
});

const WITNESS: WitnessReport = {
  required: true,
  citations: { witnessed: 1, declared: 4 },
  retrievals: { witnessed: 1, declared: 3 },
  chats: { witnessed: 2, declared: 1 },
  cited: [
    cited('src:served', { witnessed: true }),
    cited('src:pinned'),
    cited('src:live'),
    cited('src:altered'),
    cited('src:unsupported', { evidence: false }),
  ],
};
const SOURCES: SourcesReport = {
  passed: false,
  verified: 2,
  unresolved: [{ sourceId: 'src:live', snapshotRef: null }],
  rules: ['S2'],
  violations: [{ rule: 'S2', message: 'altered', sourceId: 'src:altered', contentHash: 'a'.repeat(64) }],
};
const GROUNDING: GroundingReport = {
  ...PASSED.grounding,
  passed: false,
  rules: ['W1'],
  violations: [{ rule: 'W1', message: 'not served', sourceId: 'src:pinned', contentHash: 'a'.repeat(64) }],
  witness: WITNESS,
};
const TEXT =
  'citations: 1 witnessed, 1 recomputed, 1 unresolved, 2 declared; retrievals: 1 witnessed, 3 declared; model calls: 2 witnessed, 1 declared';

describe('basisOf', () => {
  it('gives each citation the strongest basis that holds', () => {
    const basis = basisOf({ grounding: GROUNDING, sources: SOURCES });
    expect(basis?.cited.map((one) => [one.sourceId, one.basis])).toEqual([
      ['src:served', 'witnessed'],
      ['src:pinned', 'recomputed'],
      ['src:live', 'unresolved'],
      ['src:altered', 'declared'],
      ['src:unsupported', 'declared'],
    ]);
    expect(basis?.citations).toEqual({ witnessed: 1, recomputed: 1, unresolved: 1, declared: 2 });
  });

  it('takes everything that was not served for declared when the sources were not checked', () => {
    expect(basisOf({ grounding: GROUNDING, sources: null })?.citations).toMatchObject({ witnessed: 1, declared: 4 });
  });

  it('counts citations that are too many to be listed', () => {
    const witness = { ...WITNESS, citations: { witnessed: 1001, declared: 2004 } };
    expect(basisOf({ grounding: { ...GROUNDING, witness }, sources: SOURCES })?.citations).toEqual({
      witnessed: 1001,
      recomputed: 1,
      unresolved: 1,
      declared: 2002,
    });
  });

  it('reads a run without witnesses off its two verdicts', () => {
    expect(basisOf({ grounding: PASSED.grounding, sources: SOURCES })).toEqual({
      citations: { witnessed: 0, recomputed: 2, unresolved: 1, declared: 1 },
      retrievals: { witnessed: 0, declared: 3 },
      modelCalls: { witnessed: 0, declared: 1 },
      cited: [],
    });
    expect(basisOf({ grounding: PASSED.grounding, sources: null })?.citations).toBeNull();
    expect(basisOf({ grounding: null, sources: SOURCES })).toBeNull();
    expect(basisText({ grounding: PASSED.grounding, sources: SOURCES })).toBeNull();
  });
});

describe('a report of a run with witnesses', () => {
  const report = reportOf([
    row('fixtures/a.json', { ...PASSED, grounding: GROUNDING, sources: SOURCES, differences: ['it broke W1'] }),
  ]);
  const shared = reportOfRun(report);

  it('says the basis as text', () => {
    expect(renderRunText(report, { columns: null, colour: false })).toContain(`- fixtures/a.json: ${TEXT}\n`);
  });

  it('says it as JSON that the schema knows', () => {
    const json = renderReportJson(shared);
    expect(schemaFaults('report')(JSON.parse(json))).toEqual([]);
    const [result] = JSON.parse(json).results;
    expect(result.grounding.witness).toMatchObject({ required: true, chats: { witnessed: 2, declared: 1 } });
    expect(result.basis).toMatchObject({
      citations: { witnessed: 1, recomputed: 1, unresolved: 1, declared: 2 },
      model_calls: { witnessed: 2, declared: 1 },
    });
    expect(result.basis.cited[1]).toEqual({
      source_id: 'src:pinned',
      content_hash: 'a'.repeat(64),
      basis: 'recomputed',
    });
  });

  it('says it as JUnit', () => {
    expect(renderJunit(shared)).toContain(`<system-out>basis: ${TEXT}`);
  });

  it('says it as SARIF, of the run and of each citation', () => {
    const [run] = JSON.parse(renderSarif(shared)).runs;
    expect(run.properties.basis).toEqual([{ run: PASSED.invocationId, basis: TEXT }]);
    const bases = run.results.map((one: { ruleId: string; properties: { basis?: string } }) => [
      one.ruleId,
      one.properties.basis,
    ]);
    expect(bases).toContainEqual(['W1', 'recomputed']);
    expect(bases).toContainEqual(['S2', 'declared']);
  });

  it('says it as Markdown', () => {
    const markdown = renderMarkdown(shared, { budget: SUMMARY_BUDGET, traces: new Map() });
    expect(markdown).toContain('1 of 5 citations witnessed, 2 model calls witnessed');
    expect(markdown).toContain(`basis: ${TEXT}`);
  });
});
