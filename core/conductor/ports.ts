import type { JsonNode } from '../json/index.js';
import type { GroundingReport, SourcesReport } from '../model/report.js';

/** A run that is finished and judged, as the store writes it; every member holds the very bytes of its file. */
export interface FinishedRun {
  readonly invocationId: string;
  readonly request: Uint8Array;
  readonly envelope: Uint8Array;
  readonly spans: Uint8Array;
  readonly groundingText: string;
  readonly sourcesText: string;
  /** Class schemas to keep at `schemas/<digest>.json`: digest to bytes. */
  readonly schemas: ReadonlyMap<string, Uint8Array>;
  /** `ro-crate-metadata.json`, or null with DD_WRITE_CRATE=0. */
  readonly crate: Uint8Array | null;
}

/** Where runs are kept (contract 7). A run appears whole or not at all; a stored one is never overwritten. */
export interface RunStore {
  /** Reserves the id for this process until `write` or `release`; rejects when it is stored or running anywhere. */
  reserve(invocationId: string): Promise<void>;
  write(run: FinishedRun): Promise<void>;
  release(invocationId: string): Promise<void>;
}

/** What `invoke` gives its caller. */
export interface InvokedRun {
  readonly invocationId: string;
  readonly envelope: JsonNode;
  readonly grounding: GroundingReport;
  readonly sources: SourcesReport;
}
