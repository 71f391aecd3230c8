import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { OFFLINE_WRAPPERS } from '../../core/io/offline-process.js';

it.each(OFFLINE_WRAPPERS.map((wrapper) => [wrapper.slice(0, 3).join(' '), wrapper] as const))(
  'a process without a network finds no way back into that of the gate: %s',
  (_, [program, ...options]) => {
    const inside = (command: string) =>
      spawnSync(program, [...options, '/bin/sh', '-c', command], { encoding: 'utf8' });
    expect(inside('tail -n +3 /proc/net/dev | grep -v lo: | wc -l').stdout.trim()).toBe('0');
    const back = inside(`nsenter --net=/proc/${process.pid}/ns/net true`);
    expect([back.status, back.stderr]).not.toEqual([0, '']);
    expect(back.stderr).toMatch(/Permission denied|Operation not permitted/);
  },
);
