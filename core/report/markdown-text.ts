import { cut, visible } from './visible.js';

/** Longest untrusted text inside a line; what is longer is in report.json. */
const INLINE = 400;

/**
 * Untrusted text as a code span, in which GitHub looks for no mention, reference, link, image, HTML or emoji. The fence
 * is longer than any run of backticks inside.
 */
export function code(text: string): string {
  const shown = cut(visible(text), INLINE);
  if (shown === '') return '(empty)';
  const fence = '`'.repeat(longestRun(shown) + 1);
  const pad = /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/**
 * A code span in a cell of a table. Cells are split before spans are found, so that a pipe needs a backslash; a
 * backslash in front of a pipe cannot be told from that one and is spelt out.
 */
export function cellCode(text: string): string {
  return code(text.replaceAll('\\|', '\\u005c|')).replaceAll('|', '\\|');
}

/** Untrusted text as HTML, for the one place where Markdown is not read: a `<summary>`. */
export function htmlCode(text: string): string {
  return `<code>${htmlText(cut(visible(text), INLINE))}</code>`;
}

/** Lines of untrusted text as they are, between fences longer than any run of backticks inside. */
export function fenced(text: string, language = 'text'): string {
  const lines = text.split('\n').map((line) => cut(visible(line), LINE));
  const body = lines.join('\n').trimEnd();
  const fence = '`'.repeat(Math.max(3, longestRun(body) + 1));
  return `${fence}${language}\n${body}\n${fence}`;
}

/** Longest line inside fences. */
const LINE = 1000;

function htmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function longestRun(text: string): number {
  let longest = 0;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  return longest;
}
