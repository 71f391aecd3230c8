import * as crypto from 'node:crypto';

/** SHA-256 as 64 lower-case hex digits; a string is hashed as UTF-8. */
export function sha256Hex(bytes: Uint8Array | string): string {
  return oneShot === undefined
    ? crypto.createHash('sha256').update(bytes).digest('hex')
    : oneShot('sha256', bytes, 'hex');
}

// One call saves a stream object per record; it came with Node 20.12 and is still marked as a release candidate there.
const oneShot = (crypto as { hash?: (algorithm: string, data: Uint8Array | string, encoding: 'hex') => string }).hash;
