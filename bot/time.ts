import { InstantReader, timestampOf } from '../core/index.js';

/** RFC 3339 text of milliseconds since 1970. */
export function isoOf(milliseconds: number): string {
  return timestampOf(BigInt(Math.trunc(milliseconds)) * 1_000_000n);
}

/** Milliseconds since 1970 of RFC 3339 text; null when there is none, or it is no such text. */
export function millisecondsOf(text: string | undefined): number | null {
  const instant = text === undefined ? undefined : new InstantReader().read(text);
  return instant === undefined ? null : Number(instant / 1_000_000n);
}
