import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { sampleRun } from './sample-run.js';
import { bundledDriver, codeOf, opened, startDriver, temporary } from './support.js';

const HOSTILE_IDS = [
  '',
  '.',
  '..',
  '../escaped',
  '/etc/passwd',
  'index',
  'schemas',
  '__proto__',
  'constructor',
  '01a0c455-bf5e-7bd9-8565-7a479384000',
  '01a0c455-bf5e-7bd9-8565-7a47938400011',
  '01A0C455-BF5E-7BD9-8565-7A4793840001',
  '01a0c455-bf5e-4bd9-8565-7a4793840001',
  '01a0c455-bf5e-7bd9-8565-7a4793840001\n',
  '01a0c455-bf5e-7bd9-8565-7a4793840001/..',
  '01a0c455-bf5e-7bd9-8565-7a4793840001\0',
  'ｅ1a0c455-bf5e-7bd9-8565-7a4793840001',
];

describe('an invocation id', () => {
  it.each(HOSTILE_IDS)('is refused before it touches a file when it is %j', async (id) => {
    const folder = temporary();
    const runs = join(folder, 'runs');
    const { store } = await opened(runs);
    expect(await codeOf(store.reserve(id))).toBe('invocation-id-malformed');
    expect(await codeOf(store.write(sampleRun(id)))).toBe('invocation-id-malformed');
    await store.release(id);
    expect(readdirSync(folder)).toEqual(['runs']);
    expect(readdirSync(runs)).toEqual([]);
  });
});

describe('a runs folder in which something stands in the way', () => {
  const id = v7();
  const digest = [...sampleRun(id).schemas.keys()][0] ?? '';
  const obstacles: readonly (readonly [string, (folder: string) => void])[] = [
    ['a file named like the run', (folder) => writeFileSync(join(folder, id), 'x')],
    ['a link named like the run', (folder) => symlinkSync(temporary(), join(folder, id))],
    ['a dangling link named like the run', (folder) => symlinkSync('nowhere', join(folder, id))],
    ['a folder named like the index', (folder) => mkdirSync(join(folder, 'invocations.jsonl'))],
    [
      'a link named like the index',
      (folder) => symlinkSync(join(temporary(), 'stolen'), join(folder, 'invocations.jsonl')),
    ],
    ['a pipe named like the index', (folder) => void execFileSync('mkfifo', [join(folder, 'invocations.jsonl')])],
    ['a file named like the schemas', (folder) => writeFileSync(join(folder, 'schemas'), 'x')],
    ['a link named like the schemas', (folder) => symlinkSync(temporary(), join(folder, 'schemas'))],
    [
      'a link named like the schema',
      (folder) => {
        mkdirSync(join(folder, 'schemas'));
        symlinkSync(join(temporary(), 'stolen'), join(folder, 'schemas', `${digest}.json`));
      },
    ],
  ];

  it.each(obstacles)('refuses with store-obstructed and leaves it when it is %s', async (_, put) => {
    const folder = temporary();
    put(folder);
    const before = readdirSync(folder);
    const code = await codeOf(
      (async () => {
        const { store } = await opened(folder);
        await store.reserve(id);
        await store.write(sampleRun(id));
      })(),
    );
    expect(code).toBe('store-obstructed');
    expect(readdirSync(folder)).toEqual(before);
  });

  it('refuses with invocation-stored when an empty folder is named like the run', async () => {
    const folder = temporary();
    mkdirSync(join(folder, id));
    const { store, repaired } = await opened(folder);
    expect(repaired.incomplete.map(({ run }) => run)).toEqual([id]);
    expect(await codeOf(store.reserve(id))).toBe('invocation-stored');
  });

  it('refuses with invocation-stored when the folder comes while the run is in progress', async () => {
    const folder = temporary();
    const { store } = await opened(folder);
    await store.reserve(id);
    mkdirSync(join(folder, id));
    writeFileSync(join(folder, id, 'mine'), 'kept');
    expect(await codeOf(store.write(sampleRun(id)))).toBe('invocation-stored');
    expect(readFileSync(join(folder, id, 'mine'), 'utf8')).toBe('kept');
    expect(readdirSync(folder).sort()).toEqual([id, 'schemas'].sort());
  });

  it('refuses with store-obstructed when the runs folder itself is a file', async () => {
    const file = join(temporary(), 'runs');
    writeFileSync(file, '');
    expect(await codeOf(opened(file))).toBe('store-obstructed');
    expect(await codeOf(opened(join(file, 'below')))).toBe('store-obstructed');
  });

  it('follows a link that is the runs folder itself, since the operator set it', async () => {
    const target = temporary();
    const link = join(temporary(), 'runs');
    symlinkSync(target, link);
    const { store, folder } = await opened(link);
    expect(folder).toBe(target);
    await store.reserve(id);
    await store.write(sampleRun(id));
    expect(readdirSync(target)).toContain(id);
  });
});

describe('a runs folder that cannot be written to', () => {
  it('is refused with store-access to a user without rights', async () => {
    const driver = await bundledDriver();
    const folder = temporary();
    // Root may write anywhere, so that the process is started as nobody where these tests run as root.
    const isRoot = process.getuid?.() === 0;
    chmodSync(join(driver, '..'), 0o755);
    chmodSync(folder, 0o555);
    const child = startDriver(driver, ['hold', folder, v7()], isRoot ? { uid: 65_534, gid: 65_534 } : {});
    expect(await child.said('refused')).toBe('refused store-access');
    expect(readdirSync(folder)).toEqual([]);
    chmodSync(folder, 0o755);
  });
});
