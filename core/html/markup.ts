import { visibleLines } from '../report/visible.js';

/** Set by the class below, so that nobody else can make markup of a text. */
let make: (text: string) => Markup;

/** Text that is HTML already; only the templates of this file make one. */
export class Markup {
  readonly #html: string;

  private constructor(html: string) {
    this.#html = html;
  }

  toString(): string {
    return this.#html;
  }

  static {
    make = (text) => new Markup(text);
  }
}

/** What may stand in a template: a text is escaped, nothing is shown for null, undefined and false. */
export type Part = Markup | string | number | null | undefined | false | readonly Part[];

/** Where the text of a template stops: in an element's content, or within a quoted value. Nowhere else may a part stand. */
type Spot = 'content' | 'value' | 'elsewhere';

/** A template is written once and filled thousands of times. */
const checked = new WeakSet<TemplateStringsArray>();

/**
 * Makes HTML of a template; every part that is not markup itself is escaped, and characters that cannot be seen are made
 * visible. Throws a plain Error for a template with a part where escaping would not help: outside content and quotes.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  if (!checked.has(strings)) refuseUnsafe(strings);
  let text = strings[0] ?? '';
  parts.forEach((part, at) => {
    const shown = textOf(part);
    if (strings[at]?.endsWith('href="') && !RELATIVE.test(shown)) throw new Error(`a link leads elsewhere: ${shown}`);
    text += shown + (strings[at + 1] ?? '');
  });
  return make(text);
}

/** A script element that holds data, for a script of the page to read: `<` cannot end it early, nothing runs. */
export function jsonBlock(id: string, json: string): Markup {
  return make(`<script type="application/json" id="${escapeText(id)}">${jsonText(json)}</script>`);
}

/** JSON as it may stand within a script element: the same value, without a character that HTML reads. */
export function jsonText(json: string): string {
  return json.replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** Style or script of our own, which the page's policy names by its hash; throws for text that would end its element. */
export function ownText(element: 'style' | 'script', text: string): Markup {
  if (/<\/|<!--/.test(text)) throw new Error(`the ${element} holds what would end its element`);
  return make(`<${element}>${text}</${element}>`);
}

/** Text as content or quoted value; control, bidirectional and other unseen characters stand as `\uXXXX`. */
export function escapeText(text: string): string {
  if (HARMLESS.test(text)) return text;
  return visibleLines(text).replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? '');
}

/** Most texts, and quickly told: ASCII that can be seen, without what HTML reads and without the bracket that `visible` may escape. */
const HARMLESS = /^[ !#-%(-;=?-Z\\-~]*$/;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

function textOf(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (typeof part === 'string') return escapeText(part);
  if (typeof part === 'number') return String(part);
  if (part instanceof Markup) return part.toString();
  let text = '';
  for (const one of part) text += textOf(one);
  return text;
}

/** Within the report: a fragment or a path, never a scheme, a host or a query. */
const RELATIVE = /^(?:#[^"]*|(?:\.\.\/)*[A-Za-z0-9_%][A-Za-z0-9._/%-]*(?:#[^"]*)?)$/;

function refuseUnsafe(strings: TemplateStringsArray): void {
  if (strings.some((text) => /<(?:script|style)\b/i.test(text)))
    throw new Error('a template holds a script or a style, where escaping is of no use');
  let spot: Spot = 'content';
  strings.slice(0, -1).forEach((text) => {
    spot = spotAfter(text, spot);
    if (spot === 'elsewhere') throw new Error(`a part stands outside content and quotes, after ${text.slice(-40)}`);
  });
  checked.add(strings);
}

function spotAfter(text: string, from: Spot): Spot {
  let spot = from;
  for (const character of text) {
    if (spot === 'content') spot = character === '<' ? 'elsewhere' : 'content';
    else if (spot === 'value') spot = character === '"' ? 'elsewhere' : 'value';
    else if (character === '"') spot = 'value';
    else if (character === '>') spot = 'content';
  }
  return spot;
}
