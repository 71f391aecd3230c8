import { shortHash } from '../model/wording.js';
import { type ToldSpan, type TraceRow, traceRows } from './trace-rows.js';
import { cut, visible } from './visible.js';

/** Deeper levels are written with their number: an agent chose the depth, and a line must stay one. */
const MAX_LEVELS = 24;
const LONGEST_NAME = 120;
const LONGEST_SIGN = 160;
/** Documents that a line names. */
const MAX_SOURCES = 3;

/**
 * A trace as an indented tree, one span a line: its name, what it is and by which sign, when it began after the first
 * span and how long it took, and what it fetched. Untrusted text is made visible.
 */
export function traceText(spans: readonly ToldSpan[]): string {
  const first = firstStart(spans);
  return traceRows(spans)
    .map((row) => `${branches(row)}${spanLine(row, first)}\n`)
    .join('');
}

/** The earliest start of a trace; null when no span states one. */
export function firstStart(spans: readonly ToldSpan[]): bigint | null {
  return spans.reduce<bigint | null>(
    (least, { start }) => (start !== null && (least === null || start < least) ? start : least),
    null,
  );
}

function branches(row: TraceRow): string {
  if (row.above === null) return '';
  if (row.depth > MAX_LEVELS) return `${'    '.repeat(MAX_LEVELS)}(level ${row.depth}) `;
  const parts = [row.last ? '└── ' : '├── '];
  for (let at: TraceRow = row.above; at.above !== null; at = at.above) parts.push(at.last ? '    ' : '│   ');
  return parts.reverse().join('');
}

function spanLine({ span, detached }: TraceRow, first: bigint | null): string {
  const parts = [
    cut(visible(span.name), LONGEST_NAME),
    recognised(span),
    times(span, first),
    sources(span),
    span.facts.witnessed === true ? 'witnessed' : '',
    span.failed ? 'status ERROR' : '',
    detached ? 'hangs from nothing' : '',
    span.facts.losses === undefined ? '' : 'not recorded whole',
  ];
  return parts.filter((part) => part !== '').join('  ');
}

/** What the span is, and why: every sign that decided, the contradiction, or the lack of any. */
function recognised({ recognition, kind }: ToldSpan): string {
  const { role, signs, conflict, modelUse } = recognition;
  if (role === 'other') return `[unknown${kind === null ? '' : `, ${visible(cut(kind, LONGEST_NAME))}`}]`;
  const by = signs.map((sign) => cut(visible(sign), LONGEST_SIGN)).join(', ');
  const told = [`[${role} by ${by}]`];
  if (conflict !== null) told.push('CONTRADICTORY');
  if (modelUse !== null) told.push(`states the use of a model (${cut(visible(modelUse), LONGEST_SIGN)})`);
  return told.join(' ');
}

function times({ start, end }: ToldSpan, first: bigint | null): string {
  if (start === null || first === null) return end === null ? 'no times' : 'no start';
  const began = `+${milliseconds(start - first)} ms`;
  return end === null ? `${began}, no end` : `${began}, ${milliseconds(end - start)} ms`;
}

/** Exact to the nanosecond, with three decimals at least. */
export function milliseconds(ns: bigint): string {
  const size = ns < 0n ? -ns : ns;
  const fraction = String(size % 1_000_000n)
    .padStart(6, '0')
    .replace(/0{1,3}$/, '');
  return `${ns < 0n ? '-' : ''}${size / 1_000_000n}.${fraction}`;
}

function sources({ facts }: ToldSpan): string {
  const { sourceId, contentHash, documents = [] } = facts;
  const own = sourceId === undefined && contentHash === undefined ? [] : [{ sourceId, contentHash }];
  const told = [...own, ...documents.slice(0, MAX_SOURCES)].map(
    (one) =>
      `${cut(visible(one.sourceId ?? 'no id'), LONGEST_NAME)} ${visible(shortHash(one.contentHash ?? 'no hash'))}`,
  );
  if (documents.length > MAX_SOURCES) told.push(`and ${documents.length - MAX_SOURCES} more`);
  return told.join(', ');
}
