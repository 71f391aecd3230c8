import { expect, test } from 'vitest';
import { didYouMean, nearest } from '../../core/model/nearest.js';

const KEYS = new Set(['module', 'url', 'timeout_s', 'name']);

test.each([
  ['modul', 'module'],
  ['Module', 'module'],
  ['timeout', 'timeout_s'],
  ['nmae', 'name'],
  ['ulr', 'url'],
  ['path', null],
  ['', null],
  ['__proto__', null],
])('returns for %j the key %j', (word, meant) => {
  expect(nearest(word, KEYS)).toBe(meant);
});

test('returns the one word that goes on behind an underscore, and none of two', () => {
  expect(nearest('agent', new Set(['agent_id', 'input']))).toBe('agent_id');
  expect(nearest('snapshot', new Set(['snapshot_refs', 'snapshot_files']))).toBe(null);
});

test('returns nothing near where nothing is known, and ends on a name of a megabyte', () => {
  expect(nearest('a', new Set())).toBe(null);
  expect(nearest('a'.repeat(1_000_000), new Set(['b'.repeat(100)]))).toBe(null);
});

test('says nothing where no word is near', () => {
  expect(didYouMean('modul', KEYS)).toContain('"module"');
  expect(didYouMean('sources', KEYS)).toBe('');
});
