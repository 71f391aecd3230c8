import { randomBytes } from 'node:crypto';
import type { SpanIds } from '../trace/tracer.js';

/** Ids from the system's random source; the all-zero id, which means "none", is drawn again. */
export function randomSpanIds(): SpanIds {
  return { traceId: () => hex(16), spanId: () => hex(8) };
}

function hex(bytes: number): string {
  const id = randomBytes(bytes).toString('hex');
  return /^0+$/.test(id) ? hex(bytes) : id;
}
