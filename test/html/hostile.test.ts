import { describe, expect, test } from 'vitest';
import { overviewParts } from '../../core/html/overview-page.js';
import { OverviewRows } from '../../core/html/overview-rows.js';
import { OverviewStats } from '../../core/html/overview-stats.js';
import { renderRun } from '../../core/html/run-page.js';
import { visible } from '../../core/report/visible.js';
import { HOSTILE } from '../report/hostile.js';
import { hostileContents, reportedRun } from './hostile-run.js';
import { type ReadPage, readPage } from './read-page.js';

const MORE: readonly (readonly [string, string])[] = [
  ['end of a script', '</script><script>alert(1)</script>'],
  ['end of a style', '</style><style>*{display:none}</style>'],
  ['end of a text area and title', '</title></textarea></svg></math><img src=x onerror=alert(1)>'],
  ['attributes', '" autofocus onfocus="alert(1)" x="\' onmouseover=\'alert(1)'],
  ['script address', 'javascript:alert(1)'],
  ['another host', '//evil.example/x'],
  ['template syntax', '${alert(1)} {{alert(1)}} <%= 1 %>'],
  ['a way out', '../../../../etc/passwd'],
  ['character references', '&lt;img src=x&gt; &#x3c;script&#x3e; &NewLine;'],
  ['a long text', 'x'.repeat(100_000)],
  ['many lines', '<b>\n'.repeat(5000)],
  ['nothing', ''],
];

const EVIL_NAMES = [
  ...['"><img src=x onerror=alert(1)>', '__proto__', 'javascript:alert(1)', '..%2f..', '&amp;'],
  ...['\u202egnp.exe', 'CON', 'index', 'a b#c?d', 'ünï', "'", 'x'.repeat(250)],
];

/** Elements that a page of the report is made of; none of them loads or runs anything. */
const ELEMENTS = new Set(
  `html head meta title style body a header div nav main ul li section article h1 h2 h3 p span strong code pre mark dl dt dd
   table caption thead tbody tr th td svg g path rect circle line text figure figcaption blockquote`.split(/\s+/),
);
const OVERVIEW_ELEMENTS = new Set([
  ...ELEMENTS,
  ...'script form label input select option button template noscript details summary defs pattern footer title'.split(
    ' ',
  ),
]);

function expectSafe(page: ReadPage, allowed: ReadonlySet<string>): void {
  expect([...new Set(page.elements.map(({ tag }) => tag))].filter((tag) => !allowed.has(tag))).toEqual([]);
  expect(page.comments).toEqual([]);
  const attributes = page.elements.flatMap((element) => [...element.attributes]);
  expect(attributes.filter(([name]) => /^on|^style$|^src|^action$|^formaction$|^srcdoc$|^xlink/.test(name))).toEqual(
    [],
  );
  for (const [name, value] of attributes) if (name === 'href') expect(value).toMatch(/^(?:#|(?:\.\.\/)*[\w%])[^:?]*$/);
}

function expectLinked(page: ReadPage): void {
  const ids = page.elements.flatMap(({ attributes }) => attributes.get('id') ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  const targets = page.all('a').flatMap(({ attributes }) => attributes.get('href') ?? []);
  const fragments = targets.filter((href) => href.startsWith('#')).map((href) => href.slice(1));
  expect(fragments.filter((id) => !ids.includes(id))).toEqual([]);
}

describe.each([...HOSTILE, ...MORE])('%s', (_aim, text) => {
  test('stays text on the page of a run, and is there to be read', () => {
    const { page } = renderRun(reportedRun(hostileContents(text)), { unresolved: 'warn' });
    const read = readPage(page);
    expectSafe(read, ELEMENTS);
    expectLinked(read);
    expect(read.all('script')).toEqual([]);
    const shown = visible(text.toWellFormed().split('\n')[0] ?? '').slice(0, 60);
    const statement = read.all('blockquote')[0]?.text ?? '';
    expect(statement.slice(0, shown.length)).toBe(shown);
  });

  test('stays text in the overview, whose data say it again', () => {
    const { summary } = renderRun(reportedRun(hostileContents(text), { name: text === '' ? 'x' : text }), {
      unresolved: 'warn',
    });
    const [stats, rows] = [new OverviewStats(), new OverviewRows()];
    const row = rows.row(summary);
    stats.add(summary);
    const facts = { runsFolder: text, madeMs: 0, version: '1', notices: [text] };
    const { before, after } = overviewParts(stats.overview(), { facts, rows });
    const read = readPage(before + row + after);
    expectSafe(read, OVERVIEW_ELEMENTS);
    const scripts = read.all('script');
    expect(scripts.map(({ attributes }) => attributes.get('id'))).toEqual(['lists', 'rows', undefined]);
    const [first] = JSON.parse(scripts[1]?.text ?? '');
    expect(first[0]).toBe(visible(text === '' ? 'x' : text));
    expect(first[1] === 0 ? first[0] : first[1]).toMatch(/^[0-9a-f-]+$|^x-[0-9a-f]{32}$/);
    expect(JSON.parse(scripts[0]?.text ?? '').agents).toHaveLength(1);
  });
});

describe.each(EVIL_NAMES)('a folder named %j', (name) => {
  test('has a page with a name of ours', () => {
    const { page, summary } = renderRun(reportedRun(hostileContents('x'), { name }), { unresolved: 'warn' });
    const read = readPage(page);
    expectSafe(read, ELEMENTS);
    expect(read.all('h1')[0]?.text).toContain(visible(name).slice(0, 100));
    expect(summary.state).toBe('tampered');
    expect(new OverviewRows().row(summary)).toContain('"x-');
  });
});

test('shows a run whose documents cannot be read, and the line at which reading stopped', () => {
  const contents = { ...hostileContents('x'), envelope: Buffer.from('{\n"a": "<script>alert(1)</script>",\n"a": 2}') };
  const { page, summary } = renderRun(reportedRun(contents), { unresolved: 'warn' });
  const read = readPage(page);
  expectSafe(read, ELEMENTS);
  expect(summary).toMatchObject({ state: 'unreadable', rules: ['unreadable'] });
  const marked = read.elements.find(({ attributes }) => attributes.get('id') === 'envelope-3');
  expect(marked).toMatchObject({ tag: 'mark', text: '"a": 2}' });
  expectLinked(read);
});

test('shows a run of which there is nothing but its name', () => {
  const nothing = {
    request: undefined,
    envelope: undefined,
    spans: undefined,
    grounding: undefined,
    sources: undefined,
  };
  const { page, summary } = renderRun(reportedRun(nothing, { name: 'gone' }), { unresolved: 'warn' });
  expect(summary).toMatchObject({ state: 'unreadable', agent: null, ms: null });
  expectLinked(readPage(page));
});
