import type { Recognition, Span } from '../trace/index.js';

/** Steps that count as model calls where none is allowed, and that may come before the first retrieval. */
const AUXILIARY: ReadonlySet<string> = new Set(['embedding', 'reranker', 'guardrail', 'evaluator']);

/** Steps that make calls of their own kind below them: a request over HTTP below a model call is that very call. */
const EXPLAINING: ReadonlySet<string> = new Set([...AUXILIARY, 'chat', 'retrieval', 'delegate']);

/** Whether a step asks a model without having it answer; the making of an agent does when it names a model. */
export function isAuxiliary({ role, claims, modelUse }: Recognition): boolean {
  return claims.some((claim) => AUXILIARY.has(claim)) || (role === 'set-up' && modelUse !== null);
}

/** Whether calls to elsewhere below this step are its own. */
export function explainsBelow({ role, claims }: Recognition): boolean {
  return role === 'wire' || claims.some((claim) => EXPLAINING.has(claim));
}

/** Kinds that call nobody; a span without a kind is an internal one, as OpenTelemetry has it. */
const WITHIN = /^(SpanKind\.|SPAN_KIND_)?(INTERNAL|SERVER|CONSUMER|UNSPECIFIED)$/;

/** Whether a span calls somebody: CLIENT, PRODUCER, and any kind that OpenTelemetry does not know. */
export function isOutgoing({ kind }: Span): boolean {
  return kind !== null && !WITHIN.test(kind);
}
