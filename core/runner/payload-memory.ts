import type { InvokedRun } from '../conductor/ports.js';
import { canonicalBytes, sha256Hex } from '../json/index.js';

/** A run of a fixture, counted from 1. */
export interface RepeatedRun {
  readonly fixture: string;
  readonly index: number;
  readonly run: InvokedRun;
}

/** Stands for the run's own id, which a payload names where it cites its input and which differs from run to run. */
const OWN_ID = '<invocation_id>';

/**
 * Holds the payloads of a fixture's runs against each other: an agent in mode `none` promises the same result for the
 * same input, and a model that hides from the trace seldom says the same twice.
 */
export class PayloadMemory {
  readonly #first = new Map<string, { readonly index: number; readonly digest: string }>();

  /** A clause when the payload differs, in canonical bytes, from that of the run which ended first; else null. */
  difference({ fixture, index, run }: RepeatedRun): string | null {
    if (run.grounding.mode !== 'none') return null;
    const digest = digestOf(run);
    const first = this.#first.get(fixture);
    if (first === undefined) this.#first.set(fixture, { index, digest });
    if (first === undefined || first.digest === digest) return null;
    return `run ${index}: its payload is not that of run ${first.index}, although the mode none promises the same result for the same input`;
  }
}

function digestOf({ envelope, invocationId }: InvokedRun): string {
  const payload = envelope.present('payload');
  if (payload === undefined) return 'no payload';
  const bytes = Buffer.from(canonicalBytes(payload, 'dd-json-document-v1')).toString('utf8');
  return sha256Hex(bytes.replaceAll(invocationId, OWN_ID));
}
