import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Tokens } from '../conductor/grants.js';
import type { Ids } from '../model/ports.js';

/** The process's own ids: UUIDv7, which the library keeps strictly increasing within a process. */
export function systemIds(): Ids {
  return { invocationId: () => v7() };
}

/** Tokens of grants: 32 bytes of the system's random source as base64url (contract 7). */
export const randomTokens: Tokens = { token: () => randomBytes(32).toString('base64url') };
