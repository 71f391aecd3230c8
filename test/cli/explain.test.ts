import { expect, test } from 'vitest';
import { GROUNDING_MODES } from '../../core/model/report.js';
import { GROUNDING_RULES, SOURCE_RULES } from '../../core/model/violation.js';
import { grounding } from './grounding.js';

test.each([...GROUNDING_RULES, ...SOURCE_RULES, ...GROUNDING_MODES])('prints the page of %s', async (topic) => {
  const ended = await grounding(['explain', topic]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toMatch(/^## /);
  expect(ended.stdout).toContain(topic);
});

test.each(['retrieval', 'none'])('says what a pass of %s does not show', async (mode) => {
  const ended = await grounding(['explain', mode]);
  expect(ended.stdout).toContain('A pass does not show');
});

test.each(['G9', 'constructor', '__proto__'])('returns 2 and names what there is for %j', async (topic) => {
  const ended = await grounding(['explain', topic]);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('G2');
});
