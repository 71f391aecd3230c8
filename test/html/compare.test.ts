import { describe, expect, test } from 'vitest';
import { compareDocuments } from '../../core/html/compare.js';
import { parseJson } from '../../core/json/index.js';

const node = (text: string) => parseJson(Buffer.from(text), { file: 'x' });

describe('compareDocuments', () => {
  test('marks the middle in which two texts differ', () => {
    const { members, differing } = compareDocuments(node('{"a": "the old end"}'), node('{"a": "the new end"}'));
    expect(differing).toBe(1);
    expect(members[0]?.left?.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('')).toBe('the [old] end');
    expect(members[0]?.right?.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('')).toBe(
      'the [new] end',
    );
  });

  test.each([
    ['another order of members', '{"a": {"b": 1, "c": 2}}', '{"a": {"c": 2, "b": 1}}', true],
    ['an integer and a double', '{"a": 1}', '{"a": 1.0}', false],
    ['a number and a text of it', '{"a": 5}', '{"a": "5"}', false],
    ['a missing member and null', '{"a": null}', '{}', false],
    ['names that a prototype has', '{"__proto__": 1, "constructor": 2}', '{"constructor": 2, "__proto__": 1}', true],
    ['texts in another normal form', '{"a": "\u00e9"}', '{"a": "e\u0301"}', false],
  ])('%s', (_, left, right, same) => {
    const { members } = compareDocuments(node(left), node(right));
    expect(members.every((member) => member.same)).toBe(same);
    const [first] = members;
    if (!same)
      expect(first?.left?.map((one) => one.text).join('')).not.toBe(first?.right?.map((one) => one.text).join(''));
  });

  test('shows what differs when there are more members than room, and says how many are left out', () => {
    const many = (last: string) => `{${Array.from({ length: 500 }, (_, at) => `"k${at}": 1`).join(',')}, "z": ${last}}`;
    const { members, more } = compareDocuments(node(many('1')), node(many('2')));
    expect(members.at(-1)).toMatchObject({ key: 'z', same: false });
    expect([members.length, more]).toEqual([200, 301]);
  });

  test('cuts a long value around what differs', () => {
    const long = 'x'.repeat(50_000);
    const { members } = compareDocuments(node(`{"a": "${long}A${long}"}`), node(`{"a": "${long}B${long}"}`));
    const shown = members[0]?.left?.map(({ text }) => text).join('') ?? '';
    expect(shown).toContain('A');
    expect(shown.length).toBeLessThan(1000);
  });

  test('compares nothing where there is one document', () => {
    expect(compareDocuments(node('{"a": 1}'), null)).toMatchObject({
      differing: 0,
      members: [{ same: true, right: null }],
    });
  });
});
