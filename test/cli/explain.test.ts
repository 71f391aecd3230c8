import { expect, test } from 'vitest';
import { DOCTOR_CHECKS } from '../../core/doctor/index.js';
import { ERROR_CODES } from '../../core/model/error-codes.js';
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

test.each(['config-missing', '[config-missing]', 'usage', 'fixture-agent'])(
  'prints what the code %s means',
  async (topic) => {
    const code = topic.replace(/[[\]]/g, '');
    const means = new Map(Object.entries({ ...ERROR_CODES, ...DOCTOR_CHECKS })).get(code)?.means ?? 'no such code';
    const ended = await grounding(['explain', topic]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain(`## \`${code}\``);
    expect(ended.stdout).toContain(means);
  },
);

test('lists every rule, mode and code when no topic is named', async () => {
  const ended = await grounding(['explain']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const lines = ended.stdout.split('\n');
  for (const rule of [...GROUNDING_RULES, ...SOURCE_RULES])
    expect(lines.filter((line) => line.startsWith(`${rule}: `))).toHaveLength(1);
  for (const mode of GROUNDING_MODES) expect(ended.stdout).toContain(`Mode \`${mode}\``);
  for (const code of Object.keys({ ...ERROR_CODES, ...DOCTOR_CHECKS }))
    expect(lines.filter((line) => line.startsWith(`${code}: `))).toHaveLength(1);
});

test.each([
  ['config-mising', '"config-missing"'],
  ['retreival', '"retrieval"'],
  ['fixture-agnet', '"fixture-agent"'],
])('names what is meant by %s', async (topic, meant) => {
  expect((await grounding(['explain', topic])).stderr).toContain(meant);
});

test.each(['G9', 'constructor', '__proto__'])('returns 2 and names what there is for %j', async (topic) => {
  const ended = await grounding(['explain', topic]);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('G2');
});
