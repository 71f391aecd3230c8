import { type JsonNode, parseJson } from '../json/index.js';
import { readEnvelope } from '../lint/index.js';
import { GateError } from '../model/errors.js';
import type { StoredRunVerdict } from '../model/stored-run.js';
import type { DeclaredDerivation } from '../report/run-report.js';
import type { SourceCopies } from '../sources/index.js';
import type { RunContents } from '../store/index.js';
import { readSpans, type Span } from '../trace/index.js';

/** A file of a run that the report offers for download. */
export interface Download {
  /** Its name in the run's folder, as `crate/ro-crate-metadata.json`. */
  readonly name: string;
  /** From the folder of the run's page. */
  readonly href: string;
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** Which agent a run's envelope says it is of. */
export interface AgentOfRun {
  readonly agentId: string;
  readonly version: string;
}

/** A run as its page is made from it: the verdict, the files as far as they could be read, and what is around it. */
export interface ReportedRun {
  readonly verdict: StoredRunVerdict;
  readonly contents: RunContents;
  readonly copies: SourceCopies;
  readonly downloads: readonly Download[];
  /** Whether the report has a page for a run of this name. */
  readonly hasPage: (run: string) => boolean;
  /** What the agent declares, as far as somebody asked it; the payload's own labels come besides. */
  readonly derivationsOf: (agent: AgentOfRun) => readonly DeclaredDerivation[];
  /** The fixture that the run was made for. */
  readonly fixture: string | null;
}

/** A document of a run: read, absent, or refused with the line at which reading stopped. */
export type ReadDocument<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly line: number | null };

/** What a run's own files say. */
export interface RunFacts {
  readonly envelope: ReadDocument<JsonNode>;
  readonly request: ReadDocument<JsonNode>;
  readonly spans: ReadDocument<readonly Span[]>;
}

/** Reads a run's documents, each by itself: one that cannot be read leaves the others to be shown. */
export function readRunFacts(name: string, contents: RunContents): RunFacts {
  return {
    envelope: attempt(contents.envelope, (bytes) => readEnvelope(bytes, { file: `${name}/envelope.json` })),
    request: attempt(contents.request, (bytes) => parseJson(bytes, { file: `${name}/request.json` })),
    spans: attempt(contents.spans, (bytes) => readSpans(bytes, { file: `${name}/spans.jsonl` })),
  };
}

/** The value of a document that could be read; null for any other. */
export function readValue<Value>(document: ReadDocument<Value>): Value | null {
  return document.kind === 'read' ? document.value : null;
}

function attempt<Value>(bytes: Uint8Array | undefined, read: (bytes: Uint8Array) => Value): ReadDocument<Value> {
  if (bytes === undefined) return { kind: 'absent' };
  try {
    return { kind: 'read', value: read(bytes) };
  } catch (error) {
    if (error instanceof GateError) return { kind: 'refused', line: error.place?.line ?? null };
    throw error;
  }
}
