import { describe, expect, it } from 'vitest';
import type { GroundingReport } from '../../core/model/report.js';
import { groundingText } from '../../core/report/grounding-text.js';

const PASSED: GroundingReport = { passed: true, mode: 'retrieval', rules: [], violations: [], retrievals: 2, chats: 1 };
const failed = (messages: readonly string[]): GroundingReport => ({
  ...PASSED,
  passed: false,
  rules: ['G2'],
  violations: messages.map((message) => ({ rule: 'G2', message })),
});

describe('groundingText', () => {
  it('returns one line with both counts when the run passed', () => {
    expect(groundingText(PASSED)).toBe('grounding: passed [retrieval] (2 retrieval, 1 chat spans)\n');
  });

  it('returns a line for each violation when the run failed', () => {
    expect(groundingText(failed(['one', 'two']))).toBe('grounding: FAILED [retrieval]\n  - G2: one\n  - G2: two\n');
  });

  it('says unknown mode when the envelope names none', () => {
    expect(groundingText({ ...failed(['one']), mode: null })).toBe('grounding: FAILED [unknown mode]\n  - G2: one\n');
  });

  it('writes equal lines once', () => {
    expect(groundingText(failed(['one', 'one']))).toBe('grounding: FAILED [retrieval]\n  - G2: one\n');
  });

  it('keeps a message on its line whatever it holds', () => {
    const text = groundingText(failed(['a\n  - G1: forged\r\u2028\u202e\u0085\u001b[2J::error::']));
    expect(text.split(/[\r\n\u2028\u0085]/)).toHaveLength(3);
    expect(text).not.toMatch(/[\u001b\u202e]/);
  });
});
