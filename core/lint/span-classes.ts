import type { Recognition, Span } from '../trace/index.js';

/** Steps that count as model calls where none is allowed, and that may come before the first retrieval. */
const AUXILIARY: readonly string[] = ['embedding', 'reranker', 'guardrail', 'evaluator'];

/** Steps that make calls of their own kind below them: a request over HTTP below a model call is that very call. */
const EXPLAINING: readonly string[] = [...AUXILIARY, 'chat', 'retrieval', 'delegate'];

/** Of these, those that ask models. A delegation does not: what it asks is the conductor. */
const ASKING: readonly string[] = [...AUXILIARY, 'chat', 'retrieval'];

/** Steps within the agent: one of these that calls somebody is explained by no name that it gives itself. */
const WITHIN_AGENT: readonly string[] = ['other', 'chain', 'gate'];

/** Whether a step asks a model without having it answer; the making of an agent does when it names a model. */
export function isAuxiliary({ role, claims, modelUse }: Recognition): boolean {
  return anyAmong(claims, AUXILIARY) || (role === 'set-up' && modelUse !== null);
}

/** What a step explains below it: nothing, calls to elsewhere, or requests to hosts where models are served as well. */
export type Cover = 0 | 1 | 2;

/** Which calls below this step are its own. */
export function coverOf({ role, claims }: Recognition): Cover {
  if (role === 'wire' || anyAmong(claims, ASKING)) return 2;
  return anyAmong(claims, EXPLAINING) ? 1 : 0;
}

function anyAmong(claims: Recognition['claims'], kinds: readonly string[]): boolean {
  for (const claim of claims) if (kinds.includes(claim)) return true;
  return false;
}

/** Whether no row of the dialects says what the span calls, if it calls somebody. */
export function isUnexplained({ recognition: { role } }: Span): boolean {
  return WITHIN_AGENT.includes(role);
}

/** Kinds that call nobody; a span without a kind is an internal one, as OpenTelemetry has it. */
const WITHIN = /^(SpanKind\.|SPAN_KIND_)?(INTERNAL|SERVER|CONSUMER|UNSPECIFIED)$/;

/** Whether a span calls somebody: CLIENT, PRODUCER, and any kind that OpenTelemetry does not know. */
export function isOutgoing({ kind }: Span): boolean {
  return kind !== null && !WITHIN.test(kind);
}
