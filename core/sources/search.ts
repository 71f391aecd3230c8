import { type JsonNode, utf8Text } from '../json/index.js';
import type { RecordRows } from './record-rows.js';

/** Words that one query may have: a record keeps a bit for each. */
const MAX_TERMS = 16;

/** The longest text that is shown of a record. */
const EXCERPT_LENGTH = 200;

/** Words to look for, in lower case, each once. */
export interface Query {
  readonly terms: readonly string[];
}

/** A record that was found. The excerpt is no record: what is cited has to be fetched. */
export interface SearchHit {
  readonly sourceId: string;
  readonly excerpt: string;
}

/** The best matches, best first; `matched` is how many records hold any of the words. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly matched: number;
}

/** The words of a query; null when it holds none. */
export function parseQuery(text: string): Query | null {
  const words = text
    .toLowerCase()
    .split(NO_WORD)
    .filter((word) => word !== '');
  const terms = [...new Set(words)].slice(0, MAX_TERMS);
  return terms.length === 0 ? null : { terms };
}

/**
 * Looks through every record for words that begin with those of the query, whatever their case, in its JSON text, names of members
 * included. A record counts the more, the rarer the words that it holds are in the copy; equal ones stand in the order of the file. One
 * pass over the copy and two bytes a record, so that memory does not grow with its size; it yields between windows, so that others get a turn.
 */
export function* searchRecords(
  rows: RecordRows,
  { query, limit }: { readonly query: Query; readonly limit: number },
): Generator<void, SearchResult> {
  const { terms } = query;
  const held = new Uint16Array(rows.count);
  const counts = terms.map(() => 0);
  let matched = 0;
  for (const { first, texts } of rows.windows()) {
    texts.forEach((bytes, at) => {
      const mask = maskOf(textOf(bytes), terms);
      if (mask === 0) return;
      held[first + at] = mask;
      matched += 1;
      for (let term = 0; term < terms.length; term++)
        if ((mask & (1 << term)) !== 0) counts[term] = (counts[term] ?? 0) + 1;
    });
    yield;
  }
  const weights = counts.map((count) => (count === 0 ? 0 : Math.log1p(rows.count / count)));
  const best = bestOf(held, { weights, limit });
  return { hits: best.map((number) => hitOf(rows.record(number), terms)), matched };
}

const NO_WORD = /[^\p{L}\p{N}]+/u;
const IN_WORD = /[\p{L}\p{N}]/u;

/** A record's text in lower case, with what JSON escapes of it as the characters that are meant. */
function textOf(bytes: Uint8Array): string {
  const text = utf8Text(bytes);
  const plain = text.includes('\\') ? text.replace(ESCAPED, unescaped) : text;
  return plain.toLowerCase();
}

const ESCAPED = /\\(?:u([0-9a-fA-F]{4})|[^u])/g;

function unescaped(_: string, code: string | undefined): string {
  return code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16));
}

function maskOf(text: string, terms: readonly string[]): number {
  let mask = 0;
  for (let term = 0; term < terms.length; term++) if (wordAt(text, terms[term] ?? '') !== -1) mask |= 1 << term;
  return mask;
}

/** Where a word of the text begins with a term; -1 when none does. */
function wordAt(text: string, term: string): number {
  for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + 1)) {
    if (at === 0 || !IN_WORD.test(before(text, at))) return at;
  }
  return -1;
}

/** The character before an index, which may be two units long. */
function before(text: string, at: number): string {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xdc00 && unit <= 0xdfff ? text.slice(at - 2, at) : text.charAt(at - 1);
}

/** The numbers of the records with the largest sums of weights, best first, earlier ones before later ones. */
function bestOf(
  held: Uint16Array,
  { weights, limit }: { readonly weights: readonly number[]; readonly limit: number },
): readonly number[] {
  const best: { readonly number: number; readonly score: number }[] = [];
  held.forEach((mask, number) => {
    if (mask === 0) return;
    const score = weights.reduce((sum, weight, term) => ((mask & (1 << term)) === 0 ? sum : sum + weight), 0);
    if (best.length === limit && score <= (best.at(-1)?.score ?? 0)) return;
    const at = best.findIndex((one) => one.score < score);
    best.splice(at === -1 ? best.length : at, 0, { number, score });
    best.length = Math.min(best.length, limit);
  });
  return best.map(({ number }) => number);
}

function hitOf({ id, node }: { readonly id: string; readonly node: JsonNode }, terms: readonly string[]): SearchHit {
  return { sourceId: id, excerpt: excerptOf(node, terms) };
}

/** The first string of a record's own members that holds one of the words, cut around it; the first string when none does. */
function excerptOf(record: JsonNode, terms: readonly string[]): string {
  const strings = record
    .entries()
    .flatMap(([, value]) => [value.string() ?? [], ...value.items().map((item) => item.string() ?? [])].flat());
  for (const text of strings) {
    const lower = text.toLowerCase();
    const found = terms.map((term) => wordAt(lower, term)).filter((at) => at !== -1);
    if (found.length > 0) return around(text, Math.min(...found));
  }
  return around(strings[0] ?? '', 0);
}

function around(text: string, at: number): string {
  const from = Math.max(0, Math.min(at - EXCERPT_LENGTH / 4, text.length - EXCERPT_LENGTH));
  const cut = text.slice(from, from + EXCERPT_LENGTH);
  return `${from > 0 ? '…' : ''}${cut}${from + EXCERPT_LENGTH < text.length ? '…' : ''}`.toWellFormed();
}
