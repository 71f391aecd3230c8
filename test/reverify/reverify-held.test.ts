import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { expect, it } from 'vitest';
import { type HeldFiles, heldSourceFiles, loadSources, reverifyHeld } from '../../core/index.js';
import { verdictsOn } from './archive.js';

const VECTORS = join(import.meta.dirname, '../vectors/stored-runs');

const held = new Map<string, Uint8Array>(
  readdirSync(VECTORS, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(VECTORS, path).split(sep).join('/'), readFileSync(path)];
    }),
);
const copies = () =>
  loadSources(heldSourceFiles({ files: held, secret: 's' }), { sourcesPath: 'sources.yaml', named: true });

const judge = (files: HeldFiles, only: ((name: string) => boolean) | null = null) =>
  reverifyHeld({ files, folder: 'runs', copies: copies(), unresolved: 'warn', only, breathe: async () => undefined });

it('returns in memory the verdicts that the runs get on disk', async () => {
  const { verdicts, badLines } = await judge(held);
  expect(verdicts).toHaveLength(260);
  // On disk a copy is named by the path that the test gave, in memory by the one from the repository's root.
  const onDisk = JSON.stringify(await verdictsOn(join(VECTORS, 'runs'))).replaceAll(`${VECTORS}${sep}`, '');
  expect(verdicts).toEqual(JSON.parse(onDisk));
  expect(badLines).toEqual([]);
});

it('returns the wanted runs alone, and calls back before each', async () => {
  const [first = '', second = ''] = readdirSync(join(VECTORS, 'runs')).sort();
  let turns = 0;
  const { verdicts } = await reverifyHeld({
    files: held,
    folder: 'runs',
    copies: copies(),
    unresolved: 'warn',
    only: (name) => name === first || name === second,
    breathe: async () => {
      turns += 1;
    },
  });
  expect(verdicts.map(({ run }) => run)).toEqual([first, second]);
  expect(turns).toBe(2);
});

it('returns unreadable for a run that is a link, and for one whose envelope is', async () => {
  const [first = ''] = readdirSync(join(VECTORS, 'runs')).sort();
  const link: HeldFiles = new Map([[`runs/${first}`, null]]);
  const inside: HeldFiles = new Map(
    [...held].map(([path, bytes]) => [path, path === `runs/${first}/envelope.json` ? null : bytes]),
  );
  for (const files of [link, inside]) {
    const { verdicts } = await judge(files, (name) => name === first);
    expect(verdicts).toMatchObject([{ run: first, state: 'unreadable' }]);
  }
});

it('reads an index that is held, and holds the runs against it', async () => {
  const [first = ''] = readdirSync(join(VECTORS, 'runs')).sort();
  const line = Buffer.concat([held.get(`runs/${first}/envelope.json`) ?? Buffer.alloc(0)])
    .toString('utf8')
    .replaceAll('\n', '');
  const lost = '01a0c455-bf5e-7bd9-8565-000000000000';
  const index = `${line}\n{"invocation_id":"${lost}"}\nno json\n`;
  const files = new Map([...held, ['runs/invocations.jsonl', Buffer.from(index)] as const]);
  const { verdicts, badLines } = await judge(files, (name) => name === first || name === lost);
  const before = await judge(held, (name) => name === first);
  expect(verdicts.map(({ run, tampering }) => [run, tampering.map(({ test }) => test)])).toEqual(
    [
      [lost, ['no-folder']],
      [first, before.verdicts[0]?.tampering.map(({ test }) => test)],
    ].sort(),
  );
  expect(badLines).toMatchObject([{ line: 3 }]);
});

it.each([
  ['config-outside', '../records.jsonl'],
  ['config-outside', '/records.jsonl'],
  ['config-missing', posix.join('a', 'records.jsonl')],
])('throws %s for a copy at %s', (code, path) => {
  const entry = `sources:\n  - snapshot_refs: ["r"]\n    path: ${path}\n    id_field: id\n    sha256: "${'0'.repeat(64)}"\n`;
  const files = heldSourceFiles({ files: new Map([['sources.yaml', Buffer.from(entry)]]), secret: 's' });
  expect(() => loadSources(files, { sourcesPath: 'sources.yaml', named: true })).toThrow(
    expect.objectContaining({ code }),
  );
});
