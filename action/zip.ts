/** A file of an archive. */
export interface ZipEntry {
  /** Relative, with `/`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What the archive's format needs from zlib; the real one is action/io/zlib.ts. */
export interface Deflater {
  deflate(bytes: Uint8Array): Uint8Array;
  /** Gives at most `most` bytes, and throws when there are more. */
  inflate(bytes: Uint8Array, most: number): Uint8Array;
  crc32(bytes: Uint8Array): number;
  gzip(bytes: Uint8Array): Uint8Array;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const STORED = 0;
const DEFLATED = 8;
/** Names are UTF-8. */
const UTF8_FLAG = 0x0800;
/** 1980-01-01, the first day that the format can say: an archive of the same files is the same archive. */
const FIRST_DAY = 0x21;
/** Beyond these the format needs its 64-bit form, which nothing here writes. */
const MOST_ENTRIES = 0xffff;
const MOST_BYTES = 0xffff_ffff;

/** Writes a zip archive in memory; throws a plain Error beyond the limits of the 32-bit format. */
export function writeZip(entries: readonly ZipEntry[], zlib: Deflater): Uint8Array {
  if (entries.length > MOST_ENTRIES) throw new Error(`more than ${MOST_ENTRIES} files`);
  const parts: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { header, directory, data } = encodeEntry(entry, { zlib, offset });
    parts.push(header, data);
    central.push(directory);
    offset += header.length + data.length;
    if (offset > MOST_BYTES) throw new Error('more than 4 GiB');
  }
  const size = central.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...central, end]);
}

function encodeEntry(
  { name, bytes }: ZipEntry,
  { zlib, offset }: { readonly zlib: Deflater; readonly offset: number },
): { readonly header: Uint8Array; readonly directory: Uint8Array; readonly data: Uint8Array } {
  const encoded = Buffer.from(name, 'utf8');
  const deflated = zlib.deflate(bytes);
  const smaller = deflated.length < bytes.length;
  const data = smaller ? deflated : bytes;
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(20, 0);
  facts.writeUInt16LE(UTF8_FLAG, 2);
  facts.writeUInt16LE(smaller ? DEFLATED : STORED, 4);
  facts.writeUInt16LE(FIRST_DAY, 8);
  facts.writeUInt32LE(zlib.crc32(bytes), 10);
  facts.writeUInt32LE(data.length, 14);
  facts.writeUInt32LE(bytes.length, 18);
  facts.writeUInt16LE(encoded.length, 22);
  const signature = (value: number): Buffer => {
    const four = Buffer.alloc(4);
    four.writeUInt32LE(value);
    return four;
  };
  const made = Buffer.alloc(2);
  made.writeUInt16LE(20);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(offset, 10);
  return {
    header: Buffer.concat([signature(LOCAL), facts, encoded]),
    directory: Buffer.concat([signature(CENTRAL), made, facts, rest, encoded]),
    data,
  };
}

/** What a reader takes; an archive of another's making may lie about all of it. */
export interface ZipLimits {
  readonly entries: number;
  /** Bytes of one file, and of all files together. */
  readonly entryBytes: number;
  readonly totalBytes: number;
  /** Files that are wanted; others are neither inflated nor counted. */
  readonly wanted: (name: string) => boolean;
}

/**
 * Reads the wanted files of an archive in memory; nothing is written anywhere. Throws a plain Error for anything odd: a name that leads out,
 * a name twice, a link, encryption, a size that lies, a checksum that differs, more than the limits allow.
 */
export function readZip(
  archive: Uint8Array,
  { limits, zlib }: { readonly limits: ZipLimits; readonly zlib: Deflater },
): ReadonlyMap<string, Uint8Array> {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const found = new Map<string, Uint8Array>();
  const seen = new Set<string>();
  let total = 0;
  for (const entry of directoryOf(bytes, limits.entries)) {
    if (entry.name.endsWith('/')) continue;
    refuseOddEntry(entry);
    if (seen.has(entry.name)) throw new Error('two files of one name');
    seen.add(entry.name);
    if (!limits.wanted(entry.name)) continue;
    total += entry.size;
    if (entry.size > limits.entryBytes || total > limits.totalBytes) throw new Error('more bytes than are read');
    found.set(entry.name, contentOf(bytes, { entry, zlib }));
  }
  return found;
}

interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly mode: number;
  readonly offset: number;
}

function directoryOf(bytes: Buffer, most: number): readonly Entry[] {
  // The end record is followed by a comment of at most 64 KiB.
  const from = Math.max(0, bytes.length - 22 - 0xffff);
  let end = -1;
  for (let at = bytes.length - 22; at >= from && end === -1; at -= 1) if (bytes.readUInt32LE(at) === END) end = at;
  if (end === -1) throw new Error('no zip archive');
  const count = bytes.readUInt16LE(end + 10);
  if (count > most || count === MOST_ENTRIES) throw new Error('more files than are read');
  const entries: Entry[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== CENTRAL) throw new Error('a broken directory');
    const nameLength = bytes.readUInt16LE(at + 28);
    entries.push({
      name: bytes.toString('utf8', at + 46, at + 46 + nameLength),
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      mode: bytes.readUInt32LE(at + 38) >>> 16,
      offset: bytes.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

function refuseOddEntry({ name, flags, method, mode }: Entry): void {
  const segments = name.split('/');
  const odd =
    segments.some((segment) => segment === '' || segment === '.' || segment === '..') || /[\\:\0\ufffd]/.test(name);
  if (odd) throw new Error('a name that leads out of the archive');
  if ((mode & 0o170000) === 0o120000) throw new Error('a link');
  if ((flags & 1) === 1 || (method !== STORED && method !== DEFLATED)) throw new Error('a file that is packed oddly');
}

function contentOf(bytes: Buffer, { entry, zlib }: { readonly entry: Entry; readonly zlib: Deflater }): Uint8Array {
  const { offset, packed, size, method, crc } = entry;
  if (offset + 30 > bytes.length || bytes.readUInt32LE(offset) !== LOCAL) throw new Error('a broken file header');
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  if (start + packed > bytes.length) throw new Error('a file that is cut short');
  const data = bytes.subarray(start, start + packed);
  const content = method === STORED ? data : zlib.inflate(data, size);
  if (content.length !== size || zlib.crc32(content) !== crc)
    throw new Error('a file that is not what its header says');
  return content;
}
