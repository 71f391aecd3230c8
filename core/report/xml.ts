import { cut, visible, visibleLines } from './visible.js';

/** Longest untrusted text in a place of its own. */
const MAX_TEXT = 200_000;
const MAX_ATTRIBUTE = 2_000;

/** Untrusted text as the content of an element; what XML 1.0 cannot hold stands as `\uXXXX`. */
export function xmlText(text: string): string {
  return escaped(cut(visibleLines(text), MAX_TEXT));
}

/** Attributes with a space in front of each; values stay on one line. */
export function xmlAttributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(cut(visible(String(value)), MAX_ATTRIBUTE))}"`)
    .join('');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}
