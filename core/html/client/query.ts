import type { Run } from './rows.js';

/** What the list is asked for; the address holds it, so that a view can be passed on. Empty texts ask for nothing. */
export interface Query {
  readonly q: string;
  readonly state: string;
  /** Null asks for any: an empty name is that of runs whose agent nobody knows. */
  readonly agent: string | null;
  readonly rule: string;
  readonly mode: string;
  readonly sort: string;
  /** Milliseconds since the Unix epoch, the end excluded; null asks for any time. */
  readonly from: number | null;
  readonly to: number | null;
  /** Counts from 1. */
  readonly page: number;
}

export const EVERYTHING: Query = {
  q: '',
  state: '',
  agent: null,
  rule: '',
  mode: '',
  sort: '',
  from: null,
  to: null,
  page: 1,
};

/** Reads a fragment; null for one that asks for nothing, as that of a heading. */
export function queryIn(fragment: string): Query | null {
  if (!fragment.includes('=')) return null;
  const given = new URLSearchParams(fragment.replace(/^#/, ''));
  const text = (name: string): string => given.get(name) ?? '';
  const number = (name: string): number | null => (/^\d{1,16}$/.test(text(name)) ? Number(text(name)) : null);
  return {
    q: text('q'),
    state: text('state'),
    agent: given.get('agent'),
    rule: text('rule'),
    mode: text('mode'),
    sort: text('sort'),
    from: number('from'),
    to: number('to'),
    page: Math.max(1, number('page') ?? 1),
  };
}

/** The fragment of a query; only what differs from everything stands in it. */
export function fragmentOf(query: Query): string {
  const told = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const usual = name === 'page' ? value === 1 : value === null || (value === '' && name !== 'agent');
    if (!usual) told.set(name, String(value));
  }
  const text = told.toString();
  return text === '' ? '' : `#${text}`;
}

/** The runs that a query asks for, in its order. */
export function answerTo(query: Query, runs: readonly Run[]): readonly Run[] {
  const words = query.q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = runs.filter(
    (run) =>
      (query.state === '' || run.state === query.state) &&
      (query.agent === null || run.agent === query.agent) &&
      (query.rule === '' || run.rules.includes(query.rule)) &&
      (query.mode === '' || run.mode === query.mode) &&
      (query.from === null || run.ms >= query.from) &&
      (query.to === null || run.ms < query.to) &&
      words.every((word) => run.text.includes(word)),
  );
  if (query.sort === 'newest') return found.sort((a, b) => b.ms - a.ms);
  if (query.sort === 'oldest') return found.sort((a, b) => a.ms - b.ms);
  return found.sort((a, b) => WORST.indexOf(a.state) - WORST.indexOf(b.state) || b.ms - a.ms);
}

const WORST = ['failed', 'tampered', 'unreadable', 'withheld', 'passed'];
