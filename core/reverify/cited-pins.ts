import type { EvidenceItem, SourceCopies } from '../sources/index.js';

/** A `snapshot_ref` that evidence cites with what served it: the pin and the id field of a copy, or null for none. */
export type CitedPin = readonly [snapshotRef: string, pin: string | null];

/** The pins that a verdict of the source check rests on, each reference once, in the order of the envelope. */
export function citedPins(items: readonly EvidenceItem[], copies: SourceCopies): readonly CitedPin[] {
  const refs = new Set<string>();
  for (const { snapshotRef } of items) if (snapshotRef !== null) refs.add(snapshotRef);
  return Array.from(refs, (ref): CitedPin => [ref, pinOf(ref, copies)]);
}

/** What serves a reference now. */
export function pinOf(snapshotRef: string, copies: SourceCopies): string | null {
  return copies.copyFor(snapshotRef)?.pin ?? null;
}
