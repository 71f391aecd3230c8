import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { judge, judgeBy } from '../../core/lint/lint.js';
import { RULES } from '../../core/lint/rules.js';
import { GROUNDING_RULES, type GroundingRuleId } from '../../core/model/violation.js';
import { runFolders, storedRuns, verdictOf } from './stored-runs.js';

const runs = storedRuns();

describe('judge over the stored runs', () => {
  it('meets all 260 of them', () => {
    expect(runs).toHaveLength(260);
    expect(runFolders()).toHaveLength(260);
  });

  it.each(runs)(
    'returns the rules and counts of the reference for $run ($changes)',
    ({ spans, envelope, expected }) => {
      const report = judge(spans, envelope);
      expect(verdictOf(report)).toEqual(expected);
      expect(report.passed).toBe(expected.rules.length === 0);
    },
  );

  // The reference witnesses nothing, and so none of its runs can break W1 or W2.
  const RULES_OF_REFERENCE = GROUNDING_RULES.filter((id) => id !== 'W1' && id !== 'W2');

  it.each(RULES_OF_REFERENCE)('no longer agrees with the reference when %s is stubbed out', (id) => {
    expect(runs.filter((run) => !agreesWithout(id, run))).not.toHaveLength(0);
  });
});

function agreesWithout(id: GroundingRuleId, run: (typeof runs)[number]): boolean {
  const rules = RULES.map((rule) => (rule.id === id ? { ...rule, check: () => [] } : rule));
  return isDeepStrictEqual(verdictOf(judgeBy(rules, run)), run.expected);
}
