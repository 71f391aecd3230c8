import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROBLEMS, REASON_CODES, STATUSES } from '../../core/model/outcome.js';

const PAGE = readFileSync(new URL('../../docs/outcomes.md', import.meta.url), 'utf8');
const named = (heading: string): string[] => {
  const section = PAGE.split('\n## ').find((part) => part.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| `([a-z_-]+)` \|/gm)].map((match) => match[1] ?? '');
};

test('names every status, problem and reason code, and no other', () => {
  expect(named('Statuses').sort()).toEqual([...STATUSES].sort());
  expect(named('Problems').sort()).toEqual(Object.keys(PROBLEMS).sort());
  expect(named('Reasons').sort()).toEqual([...REASON_CODES].sort());
});

test('states the HTTP status of every problem', () => {
  for (const [slug, status] of Object.entries(PROBLEMS)) expect(PAGE).toContain(`| \`${slug}\` | ${status} |`);
});
