import { expect, test } from 'vitest';
import { annotationsOf } from '../../core/report/annotations.js';
import type { FindingFacts } from '../../core/report/finding.js';
import { renderLogCommands } from '../../core/report/log-commands.js';
import { inOrder, makeFinding } from '../../core/report/make-finding.js';

const finding = (more: Partial<FindingFacts> = {}) =>
  makeFinding({
    rule: 'G2',
    level: 'error',
    message: 'message',
    place: { file: 'runs/a/envelope.json', line: 3, column: 7 },
    ...more,
  });

test('returns level, place, title and message of a finding', () => {
  expect(annotationsOf([finding()]).annotations[0]).toMatchObject({
    level: 'failure',
    path: 'runs/a/envelope.json',
    line: 3,
    column: 7,
    title: expect.stringMatching(/^G2: /),
    message: expect.stringMatching(/^message\nmend: /),
  });
});

test('returns no column without a line, and no line where only the file is known', () => {
  const [annotation] = annotationsOf([finding({ place: { file: 'a', line: null, column: 4 } })]).annotations;
  expect(annotation).toMatchObject({ line: null, column: null });
});

test.each([49, 50, 51, 101, 5_000])('returns the worst of %i findings, and how many there are', (count) => {
  const findings = inOrder([
    finding({ level: 'note', message: 'expected' }),
    ...Array.from({ length: count - 1 }, (_, at) => finding({ level: 'warning', message: `${at}` })),
    finding({ message: 'worst' }),
  ]);
  const { annotations, of } = annotationsOf(findings, 50);
  expect(of).toBe(count);
  expect(annotations).toHaveLength(Math.min(50, count));
  expect(annotations[0]).toMatchObject({ level: 'failure', message: expect.stringMatching(/^worst\n/) });
  expect(annotations.map(({ message }) => message).join()).not.toContain('expected\n');
});

test.each(['a', 'é', '漢', '😀', '\ud800'])(
  'returns no more bytes than GitHub takes of a message of %j',
  (character) => {
    const [annotation] = annotationsOf([
      finding({ message: character.repeat(100_000), fixture: character.repeat(100_000) }),
    ]).annotations;
    expect(Buffer.byteLength(annotation?.message ?? '')).toBeLessThanOrEqual(65_536);
    expect(Buffer.byteLength(annotation?.title ?? '')).toBeLessThanOrEqual(255);
    expect(annotation?.message.isWellFormed()).toBe(true);
    expect(annotation?.message).not.toContain('\ufffd');
  },
);

test('returns ten commands of a level and the rest as lines, so that nothing is missing from the log', () => {
  const findings = Array.from({ length: 25 }, (_, at) => finding({ message: `number ${at}.` }));
  const lines = renderLogCommands(annotationsOf(findings).annotations).trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('::error '))).toHaveLength(10);
  for (let at = 0; at < 25; at++) expect(lines.filter((line) => line.includes(`number ${at}.`))).toHaveLength(1);
});
