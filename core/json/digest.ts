import { hash } from 'node:crypto';

/** SHA-256 as 64 lower-case hex digits; a string is hashed as UTF-8. */
export function sha256Hex(bytes: Uint8Array | string): string {
  // One call saves a stream object per record; Node has it since 20.12.
  return hash('sha256', bytes, 'hex');
}
