import type { JsonNode } from '../json/index.js';
import type { GroundingMode } from '../model/report.js';

/** The version of schemas/recording.schema.json that is written and read. */
export const RECORDING_VERSION = 1;

/** What an agent gave back: its answer, how it failed, that it was never asked, or that it gave its delegation token away. */
export type RecordedReply =
  | { readonly kind: 'answered'; readonly result: JsonNode; readonly spans: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'not-called' }
  | { readonly kind: 'showed-token' };

/** What an agent declared when it was recorded, as far as a recording rests on it. */
export interface RecordedAgent {
  readonly agentId: string;
  readonly version: string;
  readonly contractVersion: string;
  readonly groundingMode: GroundingMode;
  readonly accepts: readonly string[];
  readonly payload: string | null;
  /** Class name to the digest of its schema. */
  readonly classes: ReadonlyMap<string, string>;
  /** Where the agent answers and what it declared, for a service that runs without us; null for any other. */
  readonly service: { readonly address: string; readonly specification: JsonNode } | null;
}

/** One run of one agent. */
export interface RecordedRun {
  /** As it was stored. */
  readonly request: JsonNode;
  readonly invocationId: string;
  readonly inputHash: string;
  readonly agent: RecordedAgent;
  /** RFC 3339, as `completedAt`. */
  readonly startedAt: string;
  readonly completedAt: string;
  /** The `dd-envelope-json-v1` hash of the envelope, by which a delegating agent cites the run. */
  readonly envelopeHash: string;
  /** See told-hash.ts. */
  readonly toldHash: string;
  /** The conductor's own spans, the root first. */
  readonly ownSpans: readonly string[];
  readonly reply: RecordedReply;
}

/** Everything that one run of a fixture came from. */
export interface Recording {
  readonly fixture: string;
  /** Which of the fixture's runs this is, from 1. */
  readonly repeat: number;
  /** Whether the agent ran without a network. */
  readonly offline: boolean;
  /** The `dd-json-document-v1` hash of the fixture's request. */
  readonly fixtureHash: string;
  readonly run: RecordedRun;
  /** The runs that it delegated, in the order in which it asked for them. */
  readonly children: readonly RecordedRun[];
}

/** Which run of which fixture. */
export interface RecordingKey {
  readonly fixture: string;
  readonly repeat: number;
}
