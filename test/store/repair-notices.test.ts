import { describe, expect, it } from 'vitest';
import type { RepairReport } from '../../core/store/repair.js';
import { repairNotices } from '../../core/store/repair-notices.js';

const SOUND: RepairReport = {
  ending: { kind: 'sound' },
  linesAdded: [],
  unreadableLines: [],
  withoutFolder: [],
  incomplete: [],
  cleared: ['.tmp-of-a-dead-process'],
};

describe('the notices of a repair', () => {
  it('are none when the folder was sound, leftovers of dead processes included', () => {
    expect(repairNotices(SOUND)).toEqual([]);
  });

  const cases: readonly (readonly [string, Partial<RepairReport>, string])[] = [
    ['a half line was cut off', { ending: { kind: 'cut', bytes: 22 } }, '22'],
    ['a line was ended', { ending: { kind: 'completed' } }, 'line feed'],
    ['a run was listed', { linesAdded: ['run-a'] }, 'run-a'],
    ['a line cannot be read', { unreadableLines: [7] }, '7'],
    ['a run has no folder', { withoutFolder: ['run-b'] }, 'run-b'],
    ['a run is not whole', { incomplete: [{ run: 'run-c', reason: 'not a folder' }] }, 'run-c (not a folder)'],
    ['there are many', { withoutFolder: Array.from({ length: 9 }, (_, i) => `run-${i}`) }, 'run-4 and 4 more'],
  ];
  it.each(cases)('are one line when %s', (_, change, part) => {
    const notices = repairNotices({ ...SOUND, ...change });
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain(part);
    expect(notices[0]).not.toContain('\n');
  });
});
