import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

/** A page, and everything that it said or asked for. */
export interface Watched {
  readonly page: Page;
  /** Messages on the console, errors of scripts, broken policies. */
  readonly complaints: string[];
  readonly requests: string[];
  /** Requests that did not leave, and why. */
  readonly blocked: readonly string[];
  close(): Promise<void>;
}

let browser: Browser;

/** Starts Debian's Chromium for a file of tests, and ends it behind them. */
export function useBrowser(): void {
  beforeAll(async () => {
    // As root Chromium starts only without its sandbox.
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());
}

/** Opens a page from the disk. Policy violations are complaints of the console. */
export async function open(url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  const blocked: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => requests.push(request.url()));
  page.on('requestfailed', (request) => blocked.push(`${request.url()} ${request.failure()?.errorText}`));
  await page.goto(url);
  return { page, complaints, requests, blocked, close: () => context.close() };
}

/** What axe has against a page, a line each. Its script is handed over by the debugger, which no policy of the page binds. */
export async function axeFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${axe.source};0`);
  return page.evaluate(async () => {
    const axe = Reflect.get(globalThis, 'axe') as {
      run(where: unknown): Promise<{
        violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
      }>;
    };
    const { violations } = await axe.run(Reflect.get(globalThis, 'document'));
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}
