import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../core/json/index.js';
import { SOURCE_RULES } from '../../core/model/violation.js';
import { EXAMPLE_ID_FIELD, EXAMPLE_REF } from '../../core/sources/example-citation.js';
import { checkSources, loadSources, SOURCE_CHECKS, type SourceRule } from '../../core/sources/index.js';
import { memoryFiles, sha256 } from '../support/memory-copy.js';

/** Runs the check over the documents of an example: its `records` become the pinned copy. */
function judgeExample(documents: SourceRule['passes']['documents']) {
  const records = JSON.stringify(documents['records']);
  const configuration = `sources:\n  - {snapshot_refs: ["${EXAMPLE_REF}"], path: r.json, id_field: ${EXAMPLE_ID_FIELD}, sha256: "${sha256(records)}"}\n`;
  const copies = loadSources(memoryFiles({ 'sources.yaml': configuration, 'r.json': records }), {
    sourcesPath: 'sources.yaml',
    named: true,
  });
  return checkSources(jsonOf(JSON.parse(JSON.stringify(documents['envelope']))), copies);
}

test('registers every rule of the source check once, in the order of reports', () => {
  expect(SOURCE_CHECKS.map((rule) => rule.id)).toEqual([...SOURCE_RULES]);
});

describe.each(SOURCE_CHECKS.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  test('verifies the example that passes', () => {
    expect(judgeExample(rule.passes.documents)).toMatchObject({ passed: true, verified: 1, unresolved: [], rules: [] });
  });
  test('alone is broken by the example that fails', () => {
    expect(judgeExample(rule.fails.documents)).toMatchObject({
      passed: false,
      verified: 0,
      unresolved: [],
      rules: [id],
    });
  });
  test('says why it is there and how to mend it', () => {
    for (const text of [rule.title, rule.why, rule.mend, rule.passes.caption, rule.fails.caption])
      expect(text).toMatch(/^\S.*\S$/);
  });
});
