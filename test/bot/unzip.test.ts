import { crc32 } from 'node:zlib';
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

/** One entry whose sizes and place, and the archive's own, stand where zip64 has them; the middle of it may lie. */
function zip64Of({ name, content, size = BigInt(content.length), entries = 1n, directoryAt }: Zip64Lie): Buffer {
  const number = (value: bigint): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(value);
    return bytes;
  };
  const word = (value: number, length: 2 | 4): Buffer => {
    const bytes = Buffer.alloc(length);
    bytes.writeUIntLE(value, 0, length);
    return bytes;
  };
  const wide = Buffer.concat([word(1, 2), word(24, 2), number(size), number(size), number(0n)]);
  const facts = Buffer.concat([
    word(45, 2),
    word(0x0800, 2),
    word(0, 2),
    word(0, 2),
    word(0x21, 2),
    word(crc32(content), 4),
  ]);
  const sizes = Buffer.concat([word(0xffffffff, 4), word(0xffffffff, 4), word(name.length, 2)]);
  const local = Buffer.concat([Buffer.from('504b0304', 'hex'), facts, sizes, word(20, 2), Buffer.from(name)]);
  const localWide = Buffer.concat([word(1, 2), word(16, 2), number(size), number(size)]);
  const body = Buffer.concat([local, localWide, content]);
  const rest = Buffer.concat([word(0, 2), word(0, 2), word(0, 2), word(0, 4), word(0xffffffff, 4)]);
  const central = Buffer.concat([
    Buffer.from('504b01022d03', 'hex'),
    facts,
    sizes,
    word(wide.length, 2),
    rest,
    Buffer.from(name),
    wide,
  ]);
  const at = directoryAt ?? BigInt(body.length);
  const end64 = Buffer.concat([
    Buffer.from('504b0606', 'hex'),
    number(44n),
    word(45, 2),
    word(45, 2),
    word(0, 4),
    word(0, 4),
    number(entries),
    number(entries),
    number(BigInt(central.length)),
    number(at),
  ]);
  const locator = Buffer.concat([
    Buffer.from('504b0607', 'hex'),
    word(0, 4),
    number(BigInt(body.length + central.length)),
    word(1, 4),
  ]);
  const end = Buffer.concat([
    Buffer.from('504b0506', 'hex'),
    word(0, 4),
    word(0xffff, 2),
    word(0xffff, 2),
    word(0xffffffff, 4),
    word(0xffffffff, 4),
    word(0, 2),
  ]);
  return Buffer.concat([body, central, end64, locator, end]);
}

interface Zip64Lie {
  readonly name: string;
  readonly content: Buffer;
  readonly size?: bigint;
  readonly entries?: bigint;
  readonly directoryAt?: bigint;
}

test('returns the file of an honest archive in zip64', async () => {
  expect([...(await unzip(zip64Of({ name: 'one', content: bytes }), LIMITS))]).toEqual([['one', bytes]]);
});

test.each<[string, Partial<Zip64Lie>]>([
  ['a size of 2^60', { size: 2n ** 60n }],
  ['a size past what a number holds', { size: 2n ** 64n - 1n }],
  ['a size that is too small', { size: 3n }],
  ['a million entries', { entries: 1_000_000n }],
  ['2^63 entries', { entries: 2n ** 63n }],
  ['no entry', { entries: 0n }],
  ['a directory beyond its end', { directoryAt: 2n ** 40n }],
])('gives nothing of an archive in zip64 that says it has %s', async (_, lie) => {
  const files = await unzip(zip64Of({ name: 'one', content: bytes, ...lie }), LIMITS).catch(() => null);
  expect([...(files ?? [])]).toEqual([]);
});
