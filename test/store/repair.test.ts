import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newOwner } from '../../core/io/owner.js';
import type { RepairReport } from '../../core/store/index.js';
import { sampleRun } from './sample-run.js';
import { codeOf, expectSound, indexedIds, opened, plantRun, runNames, stored, temporary } from './support.js';

const A = '01a0c455-bf5e-7bd9-8565-7a4793840001';
const B = '01a0c455-bf5e-7bd9-8565-7a4793840002';
const C = '01a0c455-bf5e-7bd9-8565-7a4793840003';

const NOTHING: RepairReport = {
  ending: { kind: 'sound' },
  linesAdded: [],
  unreadableLines: [],
  withoutFolder: [],
  incomplete: [],
  cleared: [],
};

interface RepairCase {
  readonly title: string;
  /** Done to a folder that holds the stored run A, and nothing else. */
  readonly given: (folder: string) => void;
  readonly report: Partial<RepairReport>;
  /** The text of the index afterwards, from the text before `given`; unchanged when left out. */
  readonly index?: (before: string) => string;
}

const index = (folder: string) => join(folder, 'invocations.jsonl');
const append = (text: string) => (folder: string) => writeFileSync(index(folder), text, { flag: 'a' });
const replaceIndex = (change: (text: string) => string) => (folder: string) =>
  writeFileSync(index(folder), change(readFileSync(index(folder), 'utf8')));

const CASES: readonly RepairCase[] = [
  { title: 'nothing when the folder is sound', given: () => undefined, report: {} },
  {
    title: 'a half line away',
    given: append('{"invocation_id":"01a0'),
    report: { ending: { kind: 'cut', bytes: 22 } },
  },
  { title: 'one byte of a line away', given: append('{'), report: { ending: { kind: 'cut', bytes: 1 } } },
  {
    title: 'a line cut inside a character away',
    given: (folder) => writeFileSync(index(folder), Buffer.from([0x7b, 0x22, 0xe2, 0x80]), { flag: 'a' }),
    report: { ending: { kind: 'cut', bytes: 4 } },
  },
  {
    title: 'a line feed onto a whole line that lacks only that',
    given: replaceIndex((text) => text.trimEnd()),
    report: { ending: { kind: 'completed' } },
  },
  {
    title: 'a line feed onto a complete document that no run has',
    given: append(`{"invocation_id":"${C}"}`),
    report: { ending: { kind: 'completed' }, withoutFolder: [C] },
    index: (before) => `${before}{"invocation_id":"${C}"}\n`,
  },
  {
    title: 'a line feed onto a complete document that the strict reader refuses',
    given: append(`{"invocation_id":"${C}","a":1,"a":2}`),
    report: { ending: { kind: 'completed' }, unreadableLines: [2] },
    index: (before) => `${before}{"invocation_id":"${C}","a":1,"a":2}\n`,
  },
  {
    title: 'a line for a whole folder that has none when the index is gone',
    given: (folder) => rmSync(index(folder)),
    report: { linesAdded: [A] },
  },
  {
    title: 'the whole line of a run whose line was cut in half',
    given: replaceIndex((text) => text.slice(0, text.length >> 1)),
    report: { ending: { kind: 'cut', bytes: 421 }, linesAdded: [A] },
  },
  {
    title: 'no unreadable line away, but reports it',
    given: replaceIndex((text) => `half of a line\n\n${text}[]\n`),
    report: { unreadableLines: [1, 4] },
    index: (before) => `half of a line\n\n${before}[]\n`,
  },
  {
    title: 'no line without a folder away, but reports it',
    given: (folder) => rmSync(join(folder, A), { recursive: true }),
    report: { withoutFolder: [A] },
  },
  {
    title: 'no line onto a folder that is not whole, but reports it',
    given: (folder) => {
      mkdirSync(join(folder, B));
      plantRun(folder, sampleRun(C));
      rmSync(join(folder, C, 'spans.jsonl'));
    },
    report: {
      incomplete: [
        { run: B, reason: 'envelope.json is absent' },
        { run: C, reason: 'spans.jsonl is absent' },
      ],
    },
  },
  {
    title: 'no line onto a folder whose envelope names another run',
    given: (folder) => {
      plantRun(folder, sampleRun(B));
      writeFileSync(join(folder, B, 'envelope.json'), sampleRun(C).envelope);
    },
    report: { incomplete: [{ run: B, reason: 'its envelope names another run' }] },
  },
  {
    title: 'no line onto a link to a run',
    given: (folder) => {
      const elsewhere = temporary();
      plantRun(elsewhere, sampleRun(B));
      symlinkSync(join(elsewhere, B), join(folder, B));
    },
    report: { incomplete: [{ run: B, reason: 'not a folder' }] },
  },
  {
    title: 'nothing that is not its own',
    given: (folder) => {
      writeFileSync(join(folder, 'README.md'), 'mine');
      mkdirSync(join(folder, '.tmp-mine-1'));
      mkdirSync(join(folder, '.git'));
    },
    report: {},
  },
];

describe('the repair before a writing command', () => {
  it.each(CASES)('puts $title', async ({ given, report, index: expected }) => {
    const folder = temporary();
    await stored(folder, sampleRun(A));
    const before = readFileSync(index(folder), 'utf8');
    given(folder);
    const { repaired } = await opened(folder);
    const ending = repaired.ending;
    // The length of half a line is the sample's business.
    const wanted = { ...NOTHING, ...report };
    if (ending.kind === 'cut' && wanted.linesAdded.length > 0) expect(ending.bytes).toBe(before.length >> 1);
    else expect(ending).toEqual(wanted.ending);
    expect({ ...repaired, ending: wanted.ending }).toEqual(wanted);
    expect(readFileSync(index(folder), 'utf8')).toBe(expected?.(before) ?? before);

    const again = await opened(folder);
    expect({ ...again.repaired, linesAdded: [] }).toEqual({ ...wanted, ending: { kind: 'sound' }, linesAdded: [] });
    expect(again.repaired.linesAdded).toEqual([]);
  });

  it('lists children before their parents when several folders have no line', async () => {
    const folder = temporary();
    const parent = (id: string) => ({ parent_invocation_id: `"${id}"` });
    plantRun(folder, sampleRun(A));
    plantRun(folder, sampleRun(B, parent(A)));
    plantRun(folder, sampleRun(C, parent(B)));
    const { repaired } = await opened(folder);
    expect(repaired.linesAdded).toEqual([C, B, A]);
    expect(indexedIds(folder)).toEqual([C, B, A]);
  });

  it('writes the very lines of the vectors when their index is gone', async () => {
    const folder = join(temporary(), 'runs');
    cpSync(join(import.meta.dirname, '..', 'vectors', 'stored-runs', 'runs'), folder, { recursive: true });
    const before = readFileSync(index(folder), 'utf8');
    expect((await opened(folder)).repaired).toEqual(NOTHING);
    rmSync(index(folder));
    expect((await opened(folder)).repaired.linesAdded).toHaveLength(260);
    expect(readFileSync(index(folder), 'utf8')).toBe(before);
  });

  it('lists runs that name each other as parents once each', async () => {
    const folder = temporary();
    plantRun(folder, sampleRun(A, { parent_invocation_id: `"${B}"` }));
    plantRun(folder, sampleRun(B, { parent_invocation_id: `"${A}"` }));
    await opened(folder);
    expect(indexedIds(folder).sort()).toEqual([A, B]);
  });

  it('never gives an id out again whose folder is gone', async () => {
    const folder = temporary();
    await stored(folder, sampleRun(A));
    rmSync(join(folder, A), { recursive: true });
    const { store } = await opened(folder);
    expect(await codeOf(store.reserve(A))).toBe('invocation-stored');
  });

  it('removes the temporary folder of a dead process and not what a link in its place points to', async () => {
    const folder = temporary();
    const outside = temporary();
    writeFileSync(join(outside, 'precious'), 'kept');
    const dead = '999999999.1.00000000.00000000.1.0123456789abcdef';
    const here = newOwner().split('.');
    const owner = dead
      .split('.')
      .map((field, i) => (i >= 2 && i <= 4 ? (here[i] ?? field) : field))
      .join('.');
    mkdirSync(join(folder, `.tmp-${owner}-1`, 'crate'), { recursive: true });
    symlinkSync(outside, join(folder, `.tmp-${owner}-1`, 'inner'));
    symlinkSync(outside, join(folder, `.tmp-${owner}-2`));
    const { repaired } = await opened(folder);
    expect([...repaired.cleared].sort()).toEqual([`.tmp-${owner}-1`, `.tmp-${owner}-2`]);
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('kept');
    expectSound(folder);
  });

  it('reads an index of many lines across the borders of its pieces', async () => {
    const folder = temporary();
    const long = (i: number) =>
      JSON.stringify({ invocation_id: A.replace(/....$/, String(i).padStart(4, '0')), filler: 'ü'.repeat(i * 997) });
    writeFileSync(index(folder), `${Array.from({ length: 60 }, (_, i) => long(i + 1)).join('\n')}\n{"invocation_id`);
    const { repaired } = await opened(folder);
    expect(repaired.ending).toEqual({ kind: 'cut', bytes: 15 });
    expect(repaired.withoutFolder).toHaveLength(60);
    expect(repaired.unreadableLines).toEqual([]);
    expect(runNames(folder)).toEqual([]);
  });
});
