import { expect, test } from 'vitest';
import { HOSTILE, TOKEN } from '../report/hostile.js';
import { htmlOf, pageOf } from '../report/read-html.js';
import { fixture } from './project.js';
import { commentsOn, obeyed, performPull, propose, stage } from './stage.js';

const ELEMENTS =
  /^(?:h[123]|p|strong|em|ul|li|hr|pre|code(?: class=language-(?:text|mermaid))?|table|thead|tbody|tr|t[hd](?: align=right)?|details|summary|br|a href=https:\/\/github\.com\/octo\/agents\/actions\/runs\/\d+\/(?:attempts|artifacts)\/\d+)$/;

test('gives no effect to what a model says or cites, in any sink', async () => {
  const on = await stage();
  const files = HOSTILE.map(([, text], at): [string, string] => [
    `fixtures/h${String(at).padStart(2, '0')}.json`,
    fixture({ cite: [text], say: text, fetch: ['rec:1'] }),
  ]);
  const pull = propose(on, Object.fromEntries(files));
  const done = await performPull(on, pull, { inputs: { sarif: 'true', comment: 'always' } });
  expect(done).toMatchObject({ code: 1, outputs: { conclusion: 'failed' } });
  // Half a surrogate pair is no text of JSON: that fixture is told as one that nobody can read.
  expect(Number(done.outputs['unexpected']) + Number(done.outputs['not-judged'])).toBe(HOSTILE.length);

  const [check] = on.repository.checks.of(pull.headSha);
  const [comment] = commentsOn(on, pull);
  for (const markdown of [done.summary, comment?.body ?? '', check?.output.summary ?? '']) {
    expect(markdown).toContain(TOKEN);
    const page = pageOf(htmlOf(markdown));
    expect(page.elements.filter((element) => !ELEMENTS.test(element))).toEqual([]);
    expect(page.texts.filter(({ text, inside }) => text.includes(TOKEN) && !inside.includes('code'))).toEqual([]);
  }
  for (const { title, message } of check?.annotations ?? []) {
    expect(title).not.toContain('\n');
    expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e\u200b]/);
  }
  // What the runner would obey stands between its stop and its go alone.
  expect(obeyed(done.log)).not.toContain(TOKEN);
  expect(done.log).not.toMatch(/##\[/);
  expect(Object.values(done.outputs).join()).not.toContain(TOKEN);
}, 120_000);
