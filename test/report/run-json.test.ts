import { expect, test } from 'vitest';
import { renderRunJson } from '../../core/report/run-json.js';
import { MIXED, reportOf, row } from './make-report.js';

test('returns the golden document for rows of every kind', async () => {
  await expect(renderRunJson(MIXED)).toMatchFileSnapshot('golden/mixed.json');
});

test('returns a document that holds hostile text as data and shows none of it raw', () => {
  const text = renderRunJson(MIXED);
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(JSON.parse(text).results.at(-1)).toMatchObject({
    fixture: 'fixtures/hostile\u202e\n::error::.json',
    state: 'not-judged',
    error: 'the id \u001b]0;x\u0007 is stored already',
    grounding: null,
  });
});

test('returns the exit code that the conclusion has', () => {
  expect(JSON.parse(renderRunJson(reportOf([row('a.json')])))).toMatchObject({ conclusion: 'passed', exit_code: 0 });
  expect(JSON.parse(renderRunJson(MIXED))).toMatchObject({ conclusion: 'failed', exit_code: 1 });
  expect(JSON.parse(renderRunJson(reportOf([])))).toMatchObject({ conclusion: 'refused', exit_code: 2 });
});
