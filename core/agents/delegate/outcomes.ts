import type { ReasonCode } from '../../model/outcome.js';
import type { EvidenceItem, GroundingReference } from './sources.js';

/** A payload as the agent gives it; `schema_class` is filled in from the definition when it is left out. */
export interface Payload {
  readonly schema_class?: string;
  readonly grounded_on: readonly GroundingReference[];
  readonly [member: string]: unknown;
}

/** What an agent returns (contract 8); make it with `ctx.succeeded`, `ctx.abstained` or `ctx.referred`. */
export interface AgentResult {
  readonly outcome: {
    readonly status: 'succeeded' | 'abstained' | 'referred';
    readonly statement: string;
    readonly reason_code?: ReasonCode;
    readonly referred_to?: string;
  };
  readonly payload?: object;
  readonly evidence: readonly (EvidenceItem | object)[];
}
