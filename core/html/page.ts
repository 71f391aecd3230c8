import { createHash } from 'node:crypto';
import { html, type Markup, ownText, type Part } from './markup.js';

/** A page of the report. */
export interface Page {
  readonly title: string;
  /** Class of the body, by which the style knows the kind of page. */
  readonly kind: string;
  readonly style: string;
  /** The page's only script; most pages have none. */
  readonly script?: string | undefined;
  /** What stands in the bar that stays at the top. */
  readonly bar: Part;
  readonly main: Part;
  /** Data for the script. */
  readonly data?: Markup | undefined;
}

/** A whole page in two halves: what follows the first is `data`, which may be too large to hold. */
export function pageHalves(page: Page): readonly [string, string] {
  const { title, kind, style, script, bar, main } = page;
  const head = html`<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(page)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
${ownText('style', style)}`;
  const body = html`<a class="skip" href="#main">To the content</a>
<header class="bar"><div class="within">${bar}</div></header>
<main id="main" class="within" tabindex="-1">${main}</main>`;
  return [
    `<!doctype html>\n<html lang="en">\n<head>\n${head}\n</head>\n<body class="${kind}">\n${body}\n`,
    `${script === undefined ? '' : ownText('script', script)}\n</body>\n</html>\n`,
  ];
}

/** A whole page. */
export function pageText(page: Page): string {
  return pageHalves(page).join(page.data === undefined ? '' : `${page.data}\n`);
}

/**
 * Nothing is loaded and nothing runs but the page's own style and script, told by their hashes: a page opened from a file
 * has no origin that `'self'` could mean.
 */
function policyOf({ style, script }: Page): string {
  return [
    "default-src 'none'",
    `style-src '${hashSource(style)}'`,
    `script-src ${script === undefined ? "'none'" : `'${hashSource(script)}'`}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

const hashes = new Map<string, string>();

function hashSource(text: string): string {
  const known = hashes.get(text) ?? `sha256-${createHash('sha256').update(text).digest('base64')}`;
  hashes.set(text, known);
  return known;
}
