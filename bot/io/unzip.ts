import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import type { Unzip, UnzipLimits } from '../world.js';

/** A short text of one letter is no bomb, however well it is packed. */
const NO_BOMB_BYTES = 1024 * 1024;
const LINK_MODE = 0o120000;
const MODE_MASK = 0o170000;
const STORED = 0;
const DEFLATED = 8;

/** Unpacks zip archives in memory with yauzl, which judges names and sizes; what it leaves open is judged here (dependencies P16). */
export const unzip: Unzip = async (archive, limits) => {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  // Everything is read at once below: nothing is left to close.
  const zip = await fromBufferPromise(bytes, { strictFileNames: true, validateEntrySizes: true, decodeStrings: true });
  if (zip.entryCount > limits.entries) throw new Error(`${zip.entryCount} entries, and ${limits.entries} are read`);
  return readEntries(zip, limits);
};

async function readEntries(zip: ZipFile, limits: UnzipLimits): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const seen = new Set<string>();
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    if (seen.size > limits.entries) throw new Error('more entries than the archive says');
    refuseOdd(entry);
    if (seen.has(entry.fileName)) throw new Error('two entries of one name');
    seen.add(entry.fileName);
    if (entry.fileName.endsWith('/') || !limits.wanted(entry.fileName)) continue;
    total += entry.uncompressedSize;
    refuseLarge(entry, { limits, total });
    files.set(entry.fileName, await contentOf(zip, entry));
  }
  return files;
}

function refuseOdd(entry: Entry): void {
  const { fileName, externalFileAttributes, compressionMethod } = entry;
  if (((externalFileAttributes >>> 16) & MODE_MASK) === LINK_MODE) throw new Error('a link');
  if (entry.isEncrypted() || (compressionMethod !== STORED && compressionMethod !== DEFLATED))
    throw new Error('an entry that is packed oddly');
  const segments = fileName.replace(/\/$/, '').split('/');
  if (
    segments.some((segment) => segment === '' || segment === '.' || segment === '..') ||
    /[\\:\0\ufffd]/.test(fileName)
  )
    throw new Error('a name that leads out of the archive');
}

function refuseLarge(
  { compressedSize, uncompressedSize }: Entry,
  { limits, total }: { readonly limits: UnzipLimits; readonly total: number },
): void {
  if (uncompressedSize > limits.entryBytes || total > limits.totalBytes) throw new Error('more bytes than are read');
  if (uncompressedSize > NO_BOMB_BYTES && uncompressedSize > compressedSize * limits.ratio)
    throw new Error('an entry that is packed too well to be a text');
}

/** The stream ends with an error where more or fewer bytes come than the entry says. */
async function contentOf(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece);
  const content = Buffer.concat(pieces);
  if (crc32(content) !== entry.crc32) throw new Error('an entry that is not what its checksum says');
  return content;
}
