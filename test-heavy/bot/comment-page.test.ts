import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { PROJECT } from '../../test/action/project.js';
import { judged, judgeStage, ownComments, propose } from '../../test/bot/judge-stage.js';
import { asTree, makeRuns, namesOf } from '../../test/bot/make-runs.js';
import { HOSTILE, TOKEN } from '../../test/report/hostile.js';
import { htmlOf } from '../../test/report/read-html.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { open, useBrowser } from '../html/browser.js';

useBrowser();

/** A run whose payload cites everything that a model may try. */
function hostileRun(): Record<string, string> {
  const { runs } = makeRuns(PROJECT);
  const [run = ''] = namesOf(runs);
  const tree = asTree(runs);
  const path = `runs/${run}/envelope.json`;
  const envelope = JSON.parse(tree[path] ?? '');
  envelope.payload.grounded_on = HOSTILE.map(([, text]) => ({
    source_id: text.toWellFormed(),
    content_hash: 'ab'.repeat(32),
  }));
  return { ...tree, [path]: JSON.stringify(envelope), 'runs/invocations.jsonl': `${JSON.stringify(envelope)}\n` };
}

test('shows a comment about a hostile run as text, in Chromium', async () => {
  const on = await judgeStage();
  const pull = propose(on, hostileRun());
  expect((await judged(on, pull)).conclusion).toBe('failure');
  const body = ownComments(on, pull)[0]?.body ?? '';
  const file = join(temporaryFolder(), 'comment.html');
  writeFileSync(file, `<!doctype html><meta charset="utf-8"><title>comment</title><article>${htmlOf(body)}</article>`);
  const { page, complaints, requests, close } = await open(pathToFileURL(file).href);
  expect(complaints).toEqual([]);
  expect(requests).toHaveLength(1);
  expect(await page.locator('article img, article script, article iframe, article form, article input').count()).toBe(
    0,
  );
  expect(
    await page.locator('article a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
  ).toEqual([]);
  expect(await page.locator('article h2').first().textContent()).toContain('grounding/verified');
  expect(await page.locator('article h1').count()).toBe(0);
  // Whatever a model wrote stands in code.
  const outside = await page.locator('article').evaluate((article, token) => {
    const copy = article.cloneNode(true) as typeof article;
    for (const code of copy.querySelectorAll('code, pre')) code.remove();
    return (copy.textContent ?? '').includes(token);
  }, TOKEN);
  expect(outside).toBe(false);
  expect(await page.locator('article').textContent()).not.toContain(`sha=${pull.headSha}`);
  expect(await page.locator('article').boundingBox()).toMatchObject({ height: expect.any(Number) });
  await close();
});
