import { describe, expect, it } from 'vitest';
import { jsonOf } from '../../core/json/index.js';
import { judge, RULES } from '../../core/lint/index.js';
import type { RuleExample } from '../../core/model/rule-page.js';
import { GROUNDING_RULES } from '../../core/model/violation.js';
import { readSpans } from '../../core/trace/index.js';

const MODE_RULES = {
  retrieval: ['G0', 'E1', 'G1', 'G2', 'G3', 'G4', 'W1', 'W2'],
  input_only: ['G0', 'E1', 'R1', 'R2', 'R3', 'W2'],
  none: ['G0', 'E1', 'R1', 'R2', 'R3', 'N1', 'W2'],
  delegation: ['G0', 'E1', 'G4', 'R1', 'D1', 'D2', 'D3', 'W2'],
} as const;

describe('the registry', () => {
  it('holds every rule once, in the order in which reports list them', () => {
    expect(RULES.map((rule) => rule.id)).toEqual(GROUNDING_RULES);
  });

  it.each(Object.entries(MODE_RULES))(
    'applies to %s exactly the rules of grounding.txt, and those of witnesses',
    (mode, ids) => {
      const applied = RULES.filter((rule) => rule.modes.some((one) => one === mode)).map((rule) => rule.id);
      expect(applied).toEqual(ids);
    },
  );
});

describe.each(RULES.map((rule) => [rule.id, rule] as const))('the examples of %s', (id, rule) => {
  it('passes when the example says that it passes', () => {
    const report = judgeExample(rule.passes);
    expect(report.violations).toEqual([]);
    expect(rule.modes).toContain(report.mode);
  });

  it('breaks this rule when the example says that it fails', () => {
    expect(judgeExample(rule.fails).rules).toContain(id);
  });

  it.each((rule.causes ?? []).map((cause) => [cause.title, cause] as const))(
    'passes and breaks as its examples say when the cause is: %s',
    (_, cause) => {
      expect(judgeExample(cause.passes).violations).toEqual([]);
      expect(judgeExample(cause.fails).rules).toContain(id);
      expect(cause.text.trim()).not.toBe('');
    },
  );

  it('has a page without gaps', () => {
    for (const text of [rule.title, rule.why, rule.mend, rule.passes.caption, rule.fails.caption]) {
      expect(text.trim()).not.toBe('');
    }
  });
});

function judgeExample({ documents }: RuleExample) {
  const { spans, envelope } = documents;
  if (!Array.isArray(spans)) throw new Error('an example of the linter has a list of spans');
  const bytes = Buffer.from(spans.map((span) => JSON.stringify(span)).join('\n'));
  const document = jsonOf(JSON.parse(JSON.stringify(envelope)));
  return judge(readSpans(bytes, { file: 'spans.jsonl' }), document);
}
