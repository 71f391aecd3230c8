import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Budget, fitSections, type Section } from '../../core/report/fit-sections.js';
import { CHECK_BUDGET, COMMENT_BUDGET, renderMarkdown } from '../../core/report/markdown.js';
import { markerLine, readMarker } from '../../core/report/marker.js';
import { reportOfRun } from '../../core/report/report-of-run.js';
import { reportOf, row, WITHHELD } from './make-report.js';
import { htmlOf, pageOf } from './read-html.js';

const section = (items: readonly string[], more: Partial<Section> = {}): Section => ({
  head: '### Head',
  items,
  separator: '\n',
  what: 'things',
  priority: 1,
  share: 0.5,
  ...more,
});

const sizeOf = (text: string, { unit }: Budget): number => (unit === 'bytes' ? Buffer.byteLength(text) : text.length);

describe('fitSections', () => {
  test('returns everything when there is room', () => {
    expect(fitSections([section(['a', 'b'])], { unit: 'bytes', limit: 100 })).toBe('### Head\n\na\nb\n\n');
  });

  test('returns whole items and says how many when there is not', () => {
    const items = Array.from({ length: 50 }, (_, at) => `item ${at} ${'x'.repeat(20)}`);
    const text = fitSections([section(items)], { unit: 'bytes', limit: 400 });
    const kept = text.split('\n').filter((line) => line.startsWith('item'));
    expect(kept).toEqual(items.slice(0, kept.length));
    expect(kept.length).toBeGreaterThan(5);
    expect(text).toContain(`_${kept.length} of 50 things shown`);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(400);
  });

  test('leaves a section without items out', () => {
    expect(fitSections([section([]), section(['a'], { head: '' })], { unit: 'bytes', limit: 100 })).toBe('a\n\n');
  });

  test('gives room to what comes first by priority, and its order to nobody', () => {
    const late = section(['l'.repeat(60)], { head: 'LATE', priority: 9 });
    const early = section(['e'.repeat(60)], { head: 'EARLY', priority: 1 });
    const text = fitSections([late, early], { unit: 'bytes', limit: 100 });
    expect(text).toContain('eee');
    expect(text).not.toContain('lll');
    expect(fitSections([late, early], { unit: 'bytes', limit: 1000 })).toMatch(/LATE[\s\S]*EARLY/);
  });

  test('gives what one section leaves to another', () => {
    const text = fitSections([section(['x'.repeat(80)], { share: 0.1 })], { unit: 'bytes', limit: 100 });
    expect(text).toContain('x'.repeat(80));
  });

  test('never returns more than the budget, in either unit', () => {
    const sections = fc.array(
      fc.record({
        head: fc.constantFrom('', '### Head', '### Überschrift 🚦'),
        items: fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 40 }),
        separator: fc.constantFrom('\n' as const, '\n\n' as const),
        what: fc.constant('things'),
        priority: fc.integer({ min: 0, max: 5 }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { maxLength: 6 },
    );
    const budgets = fc.record({
      unit: fc.constantFrom('bytes' as const, 'characters' as const),
      limit: fc.integer({ min: 0, max: 3000 }),
    });
    fc.assert(
      fc.property(sections, budgets, (some, budget) => {
        expect(sizeOf(fitSections(some, budget), budget)).toBeLessThanOrEqual(budget.limit);
      }),
    );
  });
});

/** `count` violations in each of twenty runs, with text of more bytes than characters. */
const large = (count: number) => {
  const violations = Array.from({ length: count }, (_, at) => ({
    rule: 'G2' as const,
    message: `„Quelle ${at}“ is cited and no retrieval fetched it \`\`\`${'é'.repeat(200)}`,
    sourceId: `src:${at}`,
  }));
  const run = { ...WITHHELD, grounding: { ...WITHHELD.grounding, violations }, differences: ['it broke G2'] };
  return reportOfRun(reportOf(Array.from({ length: 20 }, (_, at) => row(`fixtures/${at}.json`, run))));
};

describe.each([
  ['a check', CHECK_BUDGET, 65_535],
  ['a comment', COMMENT_BUDGET, 65_536],
])('renderMarkdown for %s', (_place, budget, limit) => {
  test.each([0, 1, 10, 250])('returns a whole page within the limit for 20 runs of %i violations', (count) => {
    const marker = { checkName: 'gate', headSha: 'a'.repeat(40), runId: '1', attempt: 1 };
    const text = renderMarkdown(large(count), { budget, marker });
    expect(sizeOf(text, budget)).toBeLessThanOrEqual(limit);
    expect(readMarker(text)).toEqual(marker);
    expect(text).toContain('## grounding run: ❌ failed');
    expect(text).toContain('### Runs');
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^- In no mode/);
    const { elements } = pageOf(htmlOf(text));
    const opened = (text.match(/^<details>/gm) ?? []).length;
    expect(text.match(/^<\/details>$/gm) ?? []).toHaveLength(opened);
    expect(elements.filter((element) => element === 'details')).toHaveLength(opened);
    if (count === 250) expect(text).toMatch(/_\d+ of 5040 faults shown/);
  });
});

describe('markerLine', () => {
  test.each(['gate', 'a --> b', '<!-- x', 'ü\n\u202e@x', '\ud800', ' '])(
    'returns a line that is read back for %j',
    (name) => {
      const marker = { checkName: name, headSha: '0'.repeat(64), runId: '99', attempt: 3 };
      const line = markerLine(marker);
      expect(line).not.toMatch(/[\n\u202e]/);
      expect(pageOf(htmlOf(line)).comments).toHaveLength(1);
      expect(readMarker(`${line}\r\nmore`)).toEqual({ ...marker, checkName: name.toWellFormed() });
    },
  );

  test.each([
    '',
    'text\n<!-- grounding-gate:v1 check=a sha=0 run=1 attempt=1 -->',
    '<!-- grounding-gate:v2 check=a sha=0 run=1 attempt=1 -->',
    '<!-- grounding-gate:v1 check=%E0 sha=0 run=1 attempt=1 -->',
    '<!-- grounding-gate:v1 check=a sha=0 run=1 attempt=1 --> x',
  ])('is not found in %j', (body) => {
    expect(readMarker(body)).toBeNull();
  });

  test.each([[{ headSha: 'x' }], [{ runId: '1 -->' }], [{ attempt: 1.5 }]])(
    'throws for %j, which would make no marker',
    (wrong) => {
      expect(() => markerLine({ checkName: 'a', headSha: 'a', runId: '1', attempt: 1, ...wrong })).toThrow();
    },
  );
});
