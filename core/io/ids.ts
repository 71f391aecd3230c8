import { v7 } from 'uuid';
import type { Ids } from '../model/ports.js';

/** The process's own ids: UUIDv7, which the library keeps strictly increasing within a process. */
export function systemIds(): Ids {
  return { invocationId: () => v7() };
}
