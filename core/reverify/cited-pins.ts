import type { JsonNode } from '../json/index.js';
import { evidenceItems, type SourceCopies } from '../sources/index.js';

/** A `snapshot_ref` that evidence cites with what served it: the pin and the id field of a copy, or null for none. */
export type CitedPin = readonly [snapshotRef: string, pin: string | null];

/** The pins that a verdict of the source check rests on, each reference once, in the order of the envelope. */
export function citedPins(envelope: JsonNode, copies: SourceCopies): readonly CitedPin[] {
  const refs = new Set<string>();
  for (const { snapshotRef } of evidenceItems(envelope)) if (snapshotRef !== null) refs.add(snapshotRef);
  return [...refs].map((ref) => [ref, pinOf(ref, copies)]);
}

/** What serves a reference now. */
export function pinOf(snapshotRef: string, copies: SourceCopies): string | null {
  return copies.copyFor(snapshotRef)?.pin ?? null;
}
