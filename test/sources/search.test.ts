import { describe, expect, it } from 'vitest';
import { loadSources, parseQuery, searchRecords } from '../../core/sources/index.js';
import { memoryFiles, sha256 } from '../support/memory-copy.js';

function rowsOf(text: string) {
  const yaml = `sources:\n  - {snapshot_refs: ["s"], path: c, id_field: id, sha256: "${sha256(text)}"}\n`;
  const rows = loadSources(memoryFiles({ 'sources.yaml': yaml, c: text }), {
    sourcesPath: 'sources.yaml',
    named: true,
  }).copyFor('s')?.rows;
  if (rows === undefined) throw new Error('the copy has no rows');
  return rows;
}

function search(text: string, words: string, limit = 10) {
  const query = parseQuery(words);
  if (query === null) throw new Error('the test gives a word');
  const steps = searchRecords(rowsOf(text), { query, limit });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const lines = (...records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const ids = (text: string, words: string, limit?: number) =>
  search(text, words, limit).hits.map(({ sourceId }) => sourceId);

describe('searchRecords', () => {
  const TEXT = lines(
    { id: 'a', title: 'Data on tides' },
    { id: 'b', title: 'Data on soil' },
    { id: 'c', title: 'Data on TIDES in the soil' },
    { id: 'd', title: 'Data' },
  );

  it('gives what holds more and rarer words first, then in the order of the file', () => {
    expect(ids(TEXT, 'tides soil data')).toEqual(['c', 'a', 'b', 'd']);
    expect(ids(TEXT, 'tides')).toEqual(['a', 'c']);
  });

  it('gives no more than asked for, and says how many there are', () => {
    expect(search(TEXT, 'data', 2)).toMatchObject({ hits: [{ sourceId: 'a' }, { sourceId: 'b' }], matched: 4 });
  });

  it.each([
    ['the beginning of a word', 'tid', ['a', 'c']],
    ['not the middle of one', 'ides', []],
    ['any case', 'TIDES', ['a', 'c']],
    ['a word that nothing holds', 'birds', []],
  ])('finds %s', (_, words, found) => {
    expect(ids(TEXT, words)).toEqual(found);
  });

  it('finds letters beyond ASCII, however the file writes them', () => {
    const text = '{"id":"raw","t":"Über Ökologie"}\n{"id":"escaped","t":"\\u00dcber \\u00d6kologie\\nneu"}\n';
    expect(ids(text, 'über ökologie')).toEqual(['raw', 'escaped']);
    expect(ids(text, 'neu')).toEqual(['escaped']);
    expect(ids(lines({ id: 'x', t: '𝒜name' }, { id: 'y', t: '🌊name' }), 'name')).toEqual(['y']);
  });

  it('reads an array as it reads lines, and records that are longer than a window', () => {
    const long = 'x '.repeat(1 << 20);
    const records = [
      { id: '1', t: `${long}tides` },
      { id: '2', t: 'tides' },
      { id: '3', t: long },
    ];
    expect(ids(JSON.stringify(records, null, 1), 'tides')).toEqual(['1', '2']);
    expect(ids(lines(...records), 'tides')).toEqual(['1', '2']);
  });

  it('shows of a record what was found, cut to a line', () => {
    const [hit] = search(lines({ id: 'a', t: `${'word '.repeat(200)}tides${' word'.repeat(200)}` }), 'tides').hits;
    expect(hit?.excerpt).toContain('tides');
    expect(hit?.excerpt.length).toBeLessThan(210);
  });

  it('yields between windows', () => {
    const rows = rowsOf(lines(...Array.from({ length: 3000 }, (_, at) => ({ id: `${at}`, t: 'x'.repeat(1000) }))));
    const steps = searchRecords(rows, { query: { terms: ['x'] }, limit: 1 });
    let turns = 0;
    while (steps.next().done !== true) turns += 1;
    expect(turns).toBeGreaterThan(2);
  });
});

describe('parseQuery', () => {
  it.each([
    ['Tides, tides & SOIL-data', ['tides', 'soil', 'data']],
    [' -- ', undefined],
    ['', undefined],
  ])('reads %j', (text, terms) => {
    expect(parseQuery(text)?.terms).toEqual(terms);
  });

  it('takes sixteen words at most', () => {
    expect(parseQuery(Array.from({ length: 40 }, (_, at) => `w${at}`).join(' '))?.terms).toHaveLength(16);
  });
});
