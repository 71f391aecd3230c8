import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { axeFaults, open, useBrowser } from './browser.js';
import { EVIL_FOLDER, madeRuns, RUNS, useReports } from './reports.js';

useBrowser();
const reports = useReports();

const every = (report: string): readonly string[] => [
  `${report}/index.html`,
  ...readdirSync(join(new URL(report).pathname, 'runs')).map((page) => `${report}/runs/${page}`),
];

describe.each(['light', 'dark'] as const)('every page, %s', (colorScheme) => {
  test.each([1280, 400])(
    'asks for nothing, complains of nothing, and axe finds nothing at a width of %i',
    async (width) => {
      const { page, complaints, requests, close } = await open('about:blank', {
        colorScheme,
        viewport: { width, height: 900 },
      });
      for (const url of [...every(reports().stored), ...every(reports().made)]) {
        await page.goto(url);
        expect(await axeFaults(page), url).toEqual([]);
        // Tables scroll within themselves.
        expect(await page.evaluate('document.documentElement.scrollWidth'), url).toBe(width);
        expect({ url, complaints: complaints.splice(0), requests: requests.splice(0) }).toEqual({
          url,
          complaints: [],
          requests: [url],
        });
      }
      await close();
    },
    240_000,
  );
});

test.each([1200, 1600])('shows every column of the list of runs at a width of %i', async (width) => {
  const { page, close } = await open(`${reports().made}/index.html`, { viewport: { width, height: 900 } });
  const hidden = "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth).length";
  expect(await page.evaluate("document.querySelectorAll('#list tr').length")).toBeGreaterThan(0);
  expect(await page.evaluate(hidden)).toBe(0);
  await close();
});

test('shows hostile texts as text: no element of theirs, no script, no request', async () => {
  const { page, complaints, close } = await open(`${reports().stored}/index.html`);
  await page.getByRole('searchbox').fill('onerror');
  await page.getByRole('link', { name: EVIL_FOLDER }).click();
  await page.waitForURL(/runs\/x-[0-9a-f]{32}\.html$/);
  expect(await page.locator('h1 .run-id').textContent()).toBe(EVIL_FOLDER);
  expect(await page.locator('img, script, iframe, [onerror], [style]').count()).toBe(0);
  expect(await page.locator('blockquote').textContent()).toContain('</script><script>alert(2)</script>\\u202e');
  expect(complaints).toEqual([]);
  await close();
});

test('has a policy that refuses what a page could be made to load', async () => {
  const { page, complaints, blocked, close } = await open(`${reports().stored}/runs/${RUNS.early}.html`);
  await page.evaluate(() => {
    const document = Reflect.get(globalThis, 'document');
    document.body.insertAdjacentHTML(
      'beforeend',
      '<img src="https://evil.example/x"><p style="color:red" onclick="alert(1)">x</p><style>p{color:red}</style>',
    );
    const script = document.createElement('script');
    script.textContent = 'alert(1)';
    document.body.append(script);
  });
  await expect
    .poll(() => complaints.filter((text) => text.includes('Content Security Policy')).length)
    .toBeGreaterThan(2);
  expect(complaints.filter((text) => text.startsWith('dialog'))).toEqual([]);
  expect(blocked).toEqual(['https://evil.example/x csp']);
  await close();
});

describe('the page of a run', () => {
  test('shows broken rules with reason and remedy, and leads to the marked line and span', async () => {
    const { page, close } = await open(`${reports().stored}/runs/${RUNS.early}.html`);
    expect(await page.locator('.stand .badge').textContent()).toBe('Failed');
    const faults = page.locator('#faults article');
    expect(await faults.locator('.rule').allTextContents()).toEqual(['G1', 'S2']);
    expect(await faults.nth(0).locator('dt').allTextContents()).toEqual(['Why', 'How to mend it']);
    await page
      .getByRole('link', { name: /^span / })
      .first()
      .click();
    expect(await page.locator('tr:target').textContent()).toContain('chat');
    await page
      .getByRole('link', { name: /^envelope.json line/ })
      .first()
      .click();
    expect(await page.locator('mark:target').count()).toBe(1);
    await close();
  });

  test('draws the trace to scale, with the moment when G1 turns on', async () => {
    const { page, close } = await open(`${reports().stored}/runs/${RUNS.early}.html`);
    const boxes = async (selector: string) =>
      Promise.all((await page.locator(`.timeline tbody ${selector}`).all()).map((one) => one.boundingBox()));
    const [g1] = await boxes('line.g1');
    const retrievals = await boxes('.bar.retrieval');
    const chats = await boxes('.bar.chat');
    expect([retrievals.length, chats.length]).toEqual([3, 2]);
    // The first retrieval takes from 1.0 to 1.5 ms, the early call starts at 0.03 ms, the second at 2.8 ms.
    const [first, second] = retrievals;
    const [early, late] = chats;
    if (!g1 || !first || !second || !early || !late) throw new Error('a bar is missing');
    expect(Math.abs(first.x + first.width - g1.x)).toBeLessThan(3);
    expect(early.x).toBeLessThan(g1.x);
    expect(late.x).toBeGreaterThan(g1.x);
    // 0.6 ms between the starts of two retrievals, 2.77 ms between those of the calls.
    expect((late.x - early.x) / (second.x - first.x)).toBeCloseTo(2.77 / 0.6, 0);
    expect(await page.locator('#timeline > .note').first().textContent()).toContain('+1.50 ms');
    await close();
  });

  test('holds evidence against the record of the source and marks what differs', async () => {
    const { page, close } = await open(`${reports().stored}/runs/${RUNS.altered}.html`);
    const differing = page.locator('.citation.faulty tr.differs');
    expect(await differing.count()).toBe(1);
    expect(await differing.locator('th').textContent()).toBe('text differs');
    expect(await differing.locator('td').allTextContents()).toEqual(['revised', 'not there']);
    expect(await differing.locator('td mark').allTextContents()).toEqual(['revised']);
    expect(await page.locator('.verdict.good').count()).toBe(1);
    await close();
  });

  test('says of a tampered run what was changed, and of an unreadable one why', async () => {
    const tampered = await open(`${reports().stored}/runs/${RUNS.tampered}.html`);
    expect(await tampered.page.locator('.reason').textContent()).toContain('request.json');
    expect(await tampered.page.locator('#request mark').textContent()).toContain('"input"');
    await tampered.close();
    const unreadable = await open(`${reports().stored}/runs/${RUNS.unreadable}.html`);
    expect(await unreadable.page.locator('.stand .badge').textContent()).toBe('Unreadable');
    expect(await unreadable.page.locator('#envelope mark').textContent()).toContain('<img src=x');
    await unreadable.close();
  });

  test('says of a withheld run what it was withheld for', async () => {
    const [run] = madeRuns(reports().made, 'example.miscites');
    const { page, close } = await open(`${reports().made}/runs/${run}.html`);
    expect(await page.locator('.stand .badge').textContent()).toBe('Withheld');
    expect(await page.locator('#faults .rule').allTextContents()).toEqual(['G2', 'G3', 'S2']);
    await close();
  });

  test('leads to delegated runs and back', async () => {
    const [run] = madeRuns(reports().made, 'orchestrator.stub');
    const { page, close } = await open(`${reports().made}/runs/${run}.html`);
    await page.locator('#delegations tbody a').first().click();
    expect(await page.locator('h1 .agent').textContent()).toBe('example.hello');
    await page.locator('#delegations a').click();
    expect(await page.locator('h1 .agent').textContent()).toBe('orchestrator.stub');
    await close();
  });

  test('labels derivations as declared, not checked, and offers files that are the stored ones', async () => {
    const [run = ''] = madeRuns(reports().made, 'advisor.standards');
    const { page, close } = await open(`${reports().made}/runs/${run}.html`);
    expect(await page.locator('#derivations .stamp').textContent()).toBe('declared, not checked');
    expect(await page.locator('#derivations tbody tr').count()).toBeGreaterThan(3);
    const names = await page.locator('#files a').allTextContents();
    expect(names).toContain('crate/ro-crate-metadata.json');
    await page.locator('#files a', { hasText: 'spans.jsonl' }).click();
    // From a disk the browser shows what a server would let it download.
    await page.waitForURL(/spans\.jsonl$/);
    expect(await page.locator('body').textContent()).toContain('"name":"invoke_agent"');
    await close();
  });
});
