import type { Evidence, Kind } from './dialects/row.js';

/**
 * What a span is to the linter. `wire` is a request to a host where models are served, `other` a span that no row of
 * the table knows.
 */
export type SpanRole = 'root' | Kind | 'wire' | 'other';

/** What the table says of a span, and by which signs. Spans that show the same signs share one. */
export interface Recognition {
  readonly role: SpanRole;
  /** Every kind that a sign gives the span: more than one when they contradict each other. */
  readonly claims: readonly Kind[];
  /** The signs that decided, as a person reads them; none for a span that no row knows. */
  readonly signs: readonly string[];
  /** Two signs that contradict each other. */
  readonly conflict: readonly [string, string] | null;
  /** The sign by which a span that is no model call itself states the use of a model. */
  readonly modelUse: string | null;
}

/** A row that matched: what it says, and the sign as a person reads it. */
export interface Hit {
  readonly says: Kind | Evidence;
  readonly text: string;
}

/** Shared by the spans that no row knows. */
export const UNRECOGNISED: Recognition = { role: 'other', claims: [], signs: [], conflict: null, modelUse: null };

/** A kind that another makes more exact: a tool may fetch or hand over, an agent may be another's. */
const REFINED: Readonly<Partial<Record<Kind, readonly Kind[]>>> = {
  tool: ['retrieval', 'delegate'],
  agent: ['delegate'],
};

/** The kinds of steps in which a model may write; the first is what it makes of a step without a kind. */
const MODEL_WRITES: readonly Kind[] = ['chat', 'agent', 'guardrail', 'evaluator', 'reranker'];
/** The kinds of steps that may name a model although none writes there. */
const MODEL_NAMED: readonly Kind[] = [...MODEL_WRITES, 'embedding', 'retrieval', 'set-up'];
/** The kinds of steps that a request to a model's host may belong to. */
const MODEL_ASKED: readonly Kind[] = MODEL_NAMED;
/** The kinds of steps whose events may hold messages: a tool is asked and answers in the same form. */
const MESSAGES_TOLD: readonly Kind[] = [...MODEL_WRITES, 'set-up', 'tool'];

/** Decides what a span is by all the signs that it shows. A span is a model call when any sign says so. */
export function resolve(hits: readonly Hit[], root: boolean): Recognition {
  const kinds = new Map<Kind, string>();
  const evidence = new Map<Evidence, string>();
  for (const { says, text } of hits) {
    if (isEvidence(says)) first(evidence, says, text);
    else first(kinds, says, text);
  }
  if (root) kinds.set('agent', 'the name "invoke_agent"');
  narrow(kinds);
  const conflicts = [...kinds.values()];
  const clash = addModelCall(kinds, evidence);
  if (clash !== null) conflicts.push(clash);
  const claims = [...kinds.keys()];
  const [one, other] = conflicts;
  return {
    role: root ? 'root' : roleOf(kinds, evidence),
    claims: root ? claims.filter((kind) => kind === 'agent') : claims,
    signs: [...kinds.values(), ...(kinds.size === 0 ? evidence.values() : [])],
    conflict: one !== undefined && other !== undefined ? [one, other] : null,
    modelUse: modelUseOf(kinds, evidence, root),
  };
}

function isEvidence(says: Hit['says']): says is Evidence {
  return says === 'writes' || says === 'model' || says === 'told' || says === 'vendor' || says === 'wire';
}

function first<K>(map: Map<K, string>, key: K, text: string): void {
  if (!map.has(key)) map.set(key, text);
}

/** Drops the kinds that another one makes more exact. */
function narrow(kinds: Map<Kind, string>): void {
  for (const kind of [...kinds.keys()]) {
    if (REFINED[kind]?.some((by) => kinds.has(by)) === true) kinds.delete(kind);
  }
  if (kinds.size > 1) kinds.delete('chain');
}

/**
 * Makes a model call of a step whose attributes show one: of a step without a kind, of one that only holds others, and
 * of one whose kind cannot call a model, which contradicts it. Returns the contradicting sign.
 */
function addModelCall(kinds: Map<Kind, string>, evidence: ReadonlyMap<Evidence, string>): string | null {
  const sign = evidence.get('writes') ?? evidence.get('model') ?? evidence.get('told');
  const open = kinds.size === 0 || (kinds.size === 1 && kinds.has('chain'));
  if (open && sign !== undefined) {
    kinds.clear();
    kinds.set('chat', sign);
    return null;
  }
  const vendor = evidence.get('vendor');
  if (kinds.size === 0 && vendor !== undefined) kinds.set('chat', vendor);
  if (open) return null;
  const clash =
    against(kinds, evidence.get('writes'), MODEL_WRITES) ??
    against(kinds, evidence.get('model'), MODEL_NAMED) ??
    against(kinds, evidence.get('told'), MESSAGES_TOLD) ??
    against(kinds, evidence.get('wire'), MODEL_ASKED);
  if (clash !== undefined) kinds.set('chat', clash);
  return clash ?? null;
}

/** The sign, when none of the kinds allows for it. */
function against(
  kinds: ReadonlyMap<Kind, string>,
  sign: string | undefined,
  allowed: readonly Kind[],
): string | undefined {
  return allowed.some((kind) => kinds.has(kind)) ? undefined : sign;
}

/** Where signs contradict each other, the kind counts that allows least. */
const STRICTEST: readonly Kind[] = ['chat', 'embedding', 'reranker', 'guardrail', 'evaluator', 'retrieval'];

function roleOf(kinds: ReadonlyMap<Kind, string>, evidence: ReadonlyMap<Evidence, string>): SpanRole {
  const [only] = kinds.keys();
  const onWire = evidence.has('wire');
  if (only === undefined || only === 'chain') return onWire ? 'wire' : (only ?? 'other');
  return STRICTEST.find((kind) => kinds.has(kind)) ?? only;
}

/** An agent, or the making of one, is not a model call, and may say that a model was used in it. */
function modelUseOf(
  kinds: ReadonlyMap<Kind, string>,
  evidence: ReadonlyMap<Evidence, string>,
  root: boolean,
): string | null {
  const holder = root || kinds.has('agent') || kinds.has('set-up');
  if (!holder || (!root && kinds.has('chat'))) return null;
  return (
    evidence.get('writes') ??
    evidence.get('model') ??
    evidence.get('told') ??
    evidence.get('wire') ??
    (root ? kinds.get('chat') : undefined) ??
    null
  );
}
