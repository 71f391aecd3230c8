import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { fixture, PROJECT } from '../../test/action/project.js';
import { judged, judgeStage, ownComments, propose } from '../../test/bot/judge-stage.js';
import { asTree, makeRuns, namesOf } from '../../test/bot/make-runs.js';

/** What an agent could write to be taken for the bot, or to reach beyond its comment. */
const HOSTILE = [
  '</details></table><script>document.title = "taken"</script><img src=x onerror="document.title = 1">',
  '![x](https://example.invalid/x.png) [the bot](https://example.invalid) @octo #1 <!-- grounding-gate:v1 -->',
  '```\n# grounding/verified: passed\n```',
].join('\n');

/** Runs of which one says hostile things and cites what it never fetched; as they are before the gate takes the payload out. */
function hostileRuns(): Record<string, string> {
  const wish = { fetch: ['rec:1'], say: HOSTILE };
  const files = asTree(makeRuns({ ...PROJECT, 'fixtures/good.json': fixture(wish) }).runs);
  const [run = ''] = namesOf(makeRunsOf(files));
  const path = `runs/${run}/envelope.json`;
  const envelope = JSON.parse(files[path] ?? '');
  envelope.payload.grounded_on = [{ source_id: `rec:9 ${HOSTILE}`, content_hash: 'ab'.repeat(32) }];
  return {
    ...files,
    [path]: JSON.stringify(envelope, null, 1),
    'runs/invocations.jsonl': `${JSON.stringify(envelope)}\n`,
  };
}

const makeRunsOf = (files: Readonly<Record<string, string>>) =>
  new Map(Object.entries(files).map(([path, text]) => [path.replace(/^runs\//, ''), Buffer.from(text)]));

test('shows rule, place and remedy of a broken run, and nothing of what the run would have it show', async () => {
  const on = await judgeStage();
  const pull = propose(on, hostileRuns());
  expect((await judged(on, pull)).conclusion).toBe('failure');
  const [comment] = ownComments(on, pull);
  if (comment === undefined) throw new Error('no comment');
  const html = micromark(comment.body, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 860, height: 900 } });
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.setContent(`<!doctype html><meta charset="utf-8"><title>comment</title><body>${html}</body>`);
    const picture = process.env['GROUNDING_PICTURE'];
    if (picture !== undefined) await page.screenshot({ path: picture, fullPage: true });
    const text = await page.locator('body').textContent();
    expect(text).toContain('grounding/verified');
    expect(text).toContain('G2');
    expect(await page.title()).toBe('comment');
    expect(await page.locator('script, img, iframe, form, input').count()).toBe(0);
    const links = await page.locator('a').evaluateAll((all) => all.map((one) => String(one.getAttribute('href'))));
    expect(links.filter((href) => href.includes('example.invalid'))).toEqual([]);
    expect(asked.filter((url) => !url.startsWith('about:'))).toEqual([]);
    // Headings are the bot's own: what came in stands in code, where it is no heading.
    const headings = await page.locator('h1, h2, h3').allInnerTexts();
    expect(headings.filter((heading) => heading.includes('passed'))).toEqual([]);
  } finally {
    await browser.close();
  }
});
