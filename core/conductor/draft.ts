import type { SchemaDocument } from '../contract/class-schema.js';
import type { Composable, JsonNode } from '../json/index.js';
import { oneLine } from '../model/errors.js';
import type { ProblemSlug, Status } from '../model/outcome.js';
import { type Problem, problemOf } from './problem.js';

/** What a model call cost, as far as the agent says it. */
export interface Usage {
  readonly modelId?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** The agent's own documents, which go on the envelope as they are. */
export interface Findings {
  /** The AgentResult without its null members. */
  readonly result: JsonNode;
  readonly payload?: { readonly node: JsonNode; readonly schema: SchemaDocument };
  readonly evidence?: JsonNode;
}

/** How a run ended so far. Everything in it that an agent wrote is unjudged until the envelope is settled. */
export interface Draft {
  readonly status: Status;
  readonly outcome: Composable;
  readonly problem?: Problem;
  readonly findings?: Findings;
  readonly usage?: Usage;
  /** The schema that the input was found to fit. */
  readonly inputSchema?: SchemaDocument;
}

/** A draft that failed, with nothing of the agent's in it but what `keep` names. */
export function failedDraft(
  slug: ProblemSlug,
  { detail, invocationId, keep }: { readonly detail: string; readonly invocationId: string; readonly keep?: Draft },
): Draft {
  const statement = oneLine(detail);
  return {
    status: 'failed',
    outcome: { status: 'failed', statement },
    problem: problemOf(slug, { detail: statement, invocationId }),
    ...kept(keep),
  };
}

function kept(draft: Draft | undefined): Pick<Draft, 'usage' | 'inputSchema'> {
  return {
    ...(draft?.usage === undefined ? {} : { usage: draft.usage }),
    ...(draft?.inputSchema === undefined ? {} : { inputSchema: draft.inputSchema }),
  };
}
