import { describe, expect, it } from 'vitest';
import { explain, explainable, RULES, rulesDocument } from '../../core/lint/index.js';
import { GROUNDING_MODES } from '../../core/model/report.js';
import { GROUNDING_RULES } from '../../core/model/violation.js';

const [first] = RULES;
const other = first === undefined ? [] : [{ ...first, id: 'S1' as const, title: 'the copy holds the record' }];

describe('explain', () => {
  it.each([...GROUNDING_RULES])('returns the page that docs/rules.md prints when asked for %s', (id) => {
    const page = explain(id);
    const rule = RULES.find((one) => one.id === id);
    for (const part of [rule?.title, rule?.why, rule?.mend]) expect(page).toContain(part);
    expect(rulesDocument()).toContain(page?.trimEnd());
    expect(explain(id.toLowerCase())).toBe(page);
  });

  it.each([...GROUNDING_MODES])('returns what a pass shows and does not show when asked for %s', (mode) => {
    const page = explain(mode);
    expect(page).toContain('A pass shows');
    expect(page).toContain('A pass does not show');
    for (const rule of RULES)
      expect(page?.match(new RegExp(`\\b${rule.id}\\b`)) !== null).toBe(rule.modes.includes(mode));
  });

  it.each(['', 'G9', 'S1', '__proto__', 'constructor', 'unknown'])('returns nothing when asked for %j', (topic) => {
    expect(explain(topic)).toBeUndefined();
  });

  it('returns the page of another check when the caller brings it', () => {
    expect(explain('s1', other)).toContain('## S1: the copy holds the record');
    expect(rulesDocument(other)).toContain('## S1: the copy holds the record');
  });

  it('returns what an error code means', () => {
    expect(explain('json-empty')).toContain('The document is empty');
    expect(explain('JSON-EMPTY')).toBeUndefined();
  });

  it('knows all of its topics', () => {
    for (const topic of explainable(other)) expect(explain(topic, other)).toBeDefined();
    expect(explainable()).toEqual([...GROUNDING_RULES, ...GROUNDING_MODES]);
  });
});
