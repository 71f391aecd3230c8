import type { GroundingMode } from '../model/report.js';
import type { RuleExample } from '../model/rule-page.js';
import type { Pair } from './citation.js';

/** A step of an example run; `name` is the span's, `at` its start in milliseconds, default one after the step before. */
export interface ExampleStep {
  readonly name: string;
  readonly of?: Pair;
  readonly at?: number;
  /** Attributes beside those of `of`. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly kind?: string;
  /** The step, counted from 1, below which it stands; without it the step stands below the root. */
  readonly below?: number;
  /** Members laid over the span. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** The least that an example has to say; everything else is filled in as a run that passes would have it. */
export interface ExampleInit {
  readonly caption: string;
  readonly mode: GroundingMode;
  readonly steps?: readonly ExampleStep[];
  readonly cites?: readonly Pair[];
  readonly evidence?: readonly (Pair & { readonly content?: unknown })[];
  readonly delegated?: readonly { readonly child: string; readonly contentHash: string }[];
  /** Attributes of the root beside those that it always has. */
  readonly root?: Readonly<Record<string, unknown>>;
  /** Members laid over the envelope. */
  readonly envelope?: Readonly<Record<string, unknown>>;
}

const INVOCATION = '0199a3b0-0000-7000-8000-000000000001';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const ROOT = '00f067aa0ba902b7';

/** The input of every example run. */
export const EXAMPLE_INPUT: Pair = { sourceId: `input:${INVOCATION}`, contentHash: '1'.repeat(64) };

/** Builds the two documents of an example: `envelope` and `spans`, cut down to what the linter reads. */
export function exampleRun(init: ExampleInit): RuleExample {
  const envelope = {
    invocation_id: INVOCATION,
    grounding_mode: init.mode,
    outcome: { status: 'succeeded', statement: 'An example.' },
    payload: { schema_class: 'Answer', grounded_on: (init.cites ?? []).map(written) },
    evidence: (init.evidence ?? init.cites ?? []).map(evidenceItem),
    ...(init.delegated === undefined ? {} : { delegations: init.delegated.map(delegation) }),
    ...init.envelope,
  };
  const steps = (init.steps ?? []).map((step, index) => spanOf(step, index + 1));
  return { caption: init.caption, documents: { envelope, spans: [rootSpan(init), ...steps] } };
}

function written(pair: Pair) {
  return { source_id: pair.sourceId, content_hash: pair.contentHash };
}

function evidenceItem(item: Pair & { readonly content?: unknown }) {
  const content = item.content === undefined ? {} : { content: item.content };
  return { ...written(item), hash_algorithm: 'sha256', canonicalisation: 'dd-json-document-v1', ...content };
}

function delegation(child: { readonly child: string; readonly contentHash: string }) {
  return {
    delegated_invocation_id: child.child,
    delegated_agent_id: 'example.child',
    delegated_agent_version: '1.0.0',
    delegated_status: 'succeeded',
    content_hash: child.contentHash,
  };
}

function rootSpan({ mode, root }: ExampleInit) {
  const attributes = { 'dd.grounding_mode': mode, 'dd.input_hash': EXAMPLE_INPUT.contentHash, ...root };
  return { name: 'invoke_agent', ...ids(ROOT, null), start_time: timeAt(0), end_time: timeAt(900), attributes };
}

function spanOf(step: ExampleStep, index: number) {
  const start = step.at ?? index * 10;
  const named =
    step.of === undefined ? {} : { 'dd.source_id': step.of.sourceId, 'dd.content_hash': step.of.contentHash };
  return {
    name: step.name,
    ...ids(stepId(index), step.below === undefined ? ROOT : stepId(step.below)),
    ...(step.kind === undefined ? {} : { kind: step.kind }),
    start_time: timeAt(start),
    end_time: timeAt(start + 5),
    attributes: { ...named, ...step.attributes },
    ...step.members,
  };
}

function stepId(index: number): string {
  return index.toString(16).padStart(16, '0');
}

function ids(spanId: string, parent: string | null) {
  return {
    context: { trace_id: `0x${TRACE}`, span_id: `0x${spanId}` },
    parent_id: parent === null ? null : `0x${parent}`,
  };
}

function timeAt(milliseconds: number): string {
  return `2026-09-30T10:00:00.${String(milliseconds).padStart(3, '0')}Z`;
}
