import type { JsonNode } from '../json/index.js';
import type { GroundingMode } from '../model/report.js';

/** How a value of a payload was made; the agent's own declaration, which no check verifies (grounding.txt). */
export interface Derivation {
  readonly how: 'template' | 'model' | 'lexical' | 'registry';
  readonly recordedIn: string | null;
}

/** A class schema with its digest, the `dd-json-document-v1` hash of the schema document (contract 3). */
export interface ClassSchema {
  readonly digest: string;
  readonly schema: JsonNode;
}

/** What an agent declares about itself (contract 3 and 8); validated, so that nothing here is the agent's free text but `description`. */
export interface AgentSpecification {
  readonly agentId: string;
  readonly version: string;
  readonly description: string;
  readonly actionClass: string;
  readonly accepts: readonly string[];
  readonly groundingMode: GroundingMode;
  readonly payload: string | null;
  readonly derivations: ReadonlyMap<string, Derivation>;
  readonly contractVersion: string;
  readonly schemas: ReadonlyMap<string, ClassSchema>;
}
