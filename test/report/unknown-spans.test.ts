import { expect, test } from 'vitest';
import { validateReport } from '../../core/contract/documents.js';
import { jsonOf, parseJson } from '../../core/json/index.js';
import type { GroundingReport } from '../../core/model/report.js';
import { renderReportJson } from '../../core/report/report-json.js';
import { reportOfRun } from '../../core/report/report-of-run.js';
import { groundingJson, sourcesJson } from '../../core/report/verdict-json.js';
import { readVerdict } from '../../core/reverify/read-verdict.js';
import { PASSED, reportOf, row } from './make-report.js';

const LISTED: GroundingReport = {
  ...PASSED.grounding,
  mode: 'none',
  unknown: [{ name: 'work "1"', count: 3, spanId: '00000000000000ab' }],
};

test('report.json that lists unknown spans meets its schema', () => {
  const text = renderReportJson(reportOfRun(reportOf([row('a.json', { ...PASSED, grounding: LISTED })])));
  const report = parseJson(Buffer.from(text), { file: 'report.json' });
  expect(report.locate('/results/0/grounding/unknown/0/count')?.integer()).toBe(3);
  expect(validateReport(report)).toEqual([]);
});

test('unknown spans survive being written as a verdict and read again', () => {
  const line = {
    run: 'x',
    state: 'passed',
    grounding: groundingJson(LISTED),
    sources: sourcesJson(PASSED.sources),
    error: null,
  };
  expect(readVerdict(jsonOf(line))?.grounding).toEqual(LISTED);
  expect(readVerdict(jsonOf({ ...line, grounding: groundingJson(PASSED.grounding) }))?.grounding).toEqual(
    PASSED.grounding,
  );
});
