import { expect, test } from 'vitest';
import { unzip } from '../../bot/io/unzip.js';
import { zipOf } from './make-runs.js';

const LIMITS = {
  entries: 4,
  entryBytes: 4096,
  totalBytes: 6000,
  ratio: 50,
  wanted: (name: string) => name !== 'other',
};
const bytes = Buffer.from('some text');

test('returns the wanted files of an honest archive, stored or packed', async () => {
  const entries = [
    { name: 'a/', bytes: Buffer.alloc(0), method: 0 },
    { name: 'a/one', bytes },
    { name: 'two', bytes, method: 0 },
    { name: 'other', bytes: Buffer.alloc(9999) },
  ];
  const files = await unzip(zipOf(entries), LIMITS);
  expect([...files]).toEqual([
    ['a/one', bytes],
    ['two', bytes],
  ]);
});

test.each<[string, Parameters<typeof zipOf>[0], RegExp]>([
  ['too many entries', ['1', '2', '3', '4', '5'].map((name) => ({ name, bytes })), /entries/],
  ['a name that leads out', [{ name: 'a/../../b', bytes }], /relative|leads out/],
  ['a name with an empty part', [{ name: 'a//b', bytes }], /leads out/],
  ['an absolute name', [{ name: '/a', bytes }], /absolute/],
  ['a drive', [{ name: 'C:a', bytes }], /absolute|leads out/],
  ['a backslash', [{ name: 'a\\b', bytes }], /invalid characters/],
  [
    'a name twice',
    [
      { name: 'a', bytes },
      { name: 'a', bytes },
    ],
    /two entries/,
  ],
  ['a link', [{ name: 'a', bytes, mode: 0o120777 }], /a link/],
  ['an encrypted entry', [{ name: 'a', bytes, flags: 0x0801 }], /encrypted|packed oddly/],
  ['an unknown method', [{ name: 'a', bytes, method: 12 }], /packed oddly/],
  ['a large entry', [{ name: 'a', bytes: Buffer.alloc(5000) }], /more bytes/],
  [
    'large entries together',
    [
      { name: 'a', bytes: Buffer.alloc(4000) },
      { name: 'b', bytes: Buffer.alloc(4000) },
    ],
    /more bytes/,
  ],
  ['more bytes than it says', [{ name: 'a', bytes: Buffer.alloc(4000), size: 10 }], /too many bytes/],
  ['fewer bytes than it says', [{ name: 'a', bytes, size: 4000 }], /not enough bytes/],
  ['another checksum', [{ name: 'a', bytes, crc: 7 }], /checksum/],
])('rejects an archive with %s', async (_, entries, reason) => {
  await expect(unzip(zipOf(entries), LIMITS)).rejects.toThrow(reason);
});

test('rejects an entry that is packed better than any text, and takes it where that is allowed', async () => {
  const large = { ...LIMITS, entryBytes: 4e6, totalBytes: 4e6 };
  const zip = zipOf([{ name: 'a', bytes: Buffer.alloc(2e6) }]);
  await expect(unzip(zip, large)).rejects.toThrow(/packed too well/);
  expect((await unzip(zip, { ...large, ratio: 1e6 })).get('a')).toHaveLength(2e6);
});
