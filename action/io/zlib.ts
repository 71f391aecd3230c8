import { crc32, deflateRawSync, gzipSync, inflateRawSync } from 'node:zlib';
import type { Deflater } from '../zip.js';

/** Node's zlib. */
export const nodeZlib: Deflater = {
  deflate: (bytes) => deflateRawSync(bytes),
  // A buffer of no bytes at all is what zlib refuses to make.
  inflate: (bytes, most) => inflateRawSync(bytes, { maxOutputLength: Math.max(1, most) }),
  crc32: (bytes) => crc32(bytes),
  gzip: (bytes) => gzipSync(bytes),
};
