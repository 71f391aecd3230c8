import { expect, test } from 'vitest';
import { open, useBrowser } from './browser.js';
import { RUNS, useReports } from './reports.js';

useBrowser();
const reports = useReports();

const overview = (fragment = ''): string => `${reports().stored}/index.html${fragment}`;

test('counts the runs by state, agent and rule', async () => {
  const { page, close } = await open(overview());
  expect(await page.locator('.tile').allTextContents()).toEqual([
    '1Passed',
    '0Withheld',
    '2Failed',
    '3Tampered',
    '1Unreadable',
  ]);
  expect(await page.locator('#agents tbody th').allTextContents()).toContain('case.retrieval');
  expect(await page.locator('#rules tbody tr', { hasText: 'G1' }).locator('.number').textContent()).toBe('3');
  expect(await page.locator('#told').textContent()).toBe('1 to 7 of 7 runs');
  await close();
});

test('filters by what is clicked and typed, and keeps it in the address', async () => {
  const { page, close } = await open(overview());
  await page.locator('.tile.failed').click();
  expect(await page.locator('#list tr').count()).toBe(2);
  expect(new URL(page.url()).hash).toBe('#state=failed');
  expect(await page.getByLabel('State').inputValue()).toBe('failed');
  await page.getByRole('searchbox').fill('retrieval G1');
  expect(await page.locator('#list th a').allTextContents()).toEqual([RUNS.early]);
  await expect.poll(() => new URL(page.url()).hash).toBe('#q=retrieval+G1&state=failed');
  // Headings are reached without a loss of what was asked for.
  await page.getByRole('link', { name: 'Agents' }).click();
  expect(new URL(page.url()).hash).toBe('#q=retrieval+G1&state=failed');
  await page.reload();
  expect(await page.locator('#list tr').count()).toBe(1);
  await page.getByRole('button', { name: 'Clear' }).click();
  expect(await page.locator('#list tr').count()).toBe(7);
  await expect.poll(() => new URL(page.url()).hash).toBe('');
  await close();
});

test('shows what an address asks for, and the step before when one goes back', async () => {
  const { page, close } = await open(overview('#rule=S2&sort=newest'));
  expect(await page.locator('#list tr').count()).toBe(2);
  await page.locator('#agents tbody a', { hasText: 'case.input_only' }).click();
  expect(await page.locator('#told').textContent()).toMatch(/, 7 in all$/);
  await page.goBack();
  expect(await page.locator('#list tr').count()).toBe(2);
  expect(await page.getByLabel('Order').inputValue()).toBe('newest');
  await close();
});

test('finds nothing, and says so, when no run is like that', async () => {
  const { page, close } = await open(overview('#q=nothing+is+like+this'));
  expect(await page.locator('#told').textContent()).toBe('No run is like that.');
  expect(await page.locator('#list tr').count()).toBe(0);
  await close();
});

test('narrows to a stretch of time of the chart', async () => {
  const { page, close } = await open(overview());
  await page.locator('#trend summary').click();
  await page.locator('#trend tbody a').first().click();
  expect(await page.locator('#period').textContent()).toMatch(/^Invoked from \d{4}-/);
  const found = await page.locator('#list tr').count();
  expect(found).toBeGreaterThan(0);
  expect(found).toBeLessThan(7);
  await close();
});

test('can be worked with the keyboard alone', async () => {
  const { page, close } = await open(overview());
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('To the content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.className')).toBe('tile passed');
  await page.keyboard.press('/');
  await page.keyboard.type('tampered');
  expect(await page.locator('#told').textContent()).toContain('of 3 runs');
  await page.keyboard.press('Tab');
  await page.keyboard.type('tam');
  expect(await page.getByLabel('State').inputValue()).toBe('tampered');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('input_only');
  const link = page.locator('#list th a').first();
  await link.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/runs\//);
  // Every table that can scroll can be reached and scrolled.
  const unreachable = await page.evaluate(
    "[...document.querySelectorAll('.scroll, .source-text')].filter((one) => one.tabIndex !== 0).length",
  );
  expect(unreachable).toBe(0);
  await close();
});

test('shows what is in it, save the list, without a script', async () => {
  const { page, close } = await open(overview(), { javaScriptEnabled: false });
  expect(await page.locator('.tile.failed .count').textContent()).toBe('2');
  expect(await page.locator('noscript p').textContent()).toContain('runs');
  await close();
});
