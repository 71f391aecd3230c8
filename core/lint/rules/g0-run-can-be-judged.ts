import { assertNever } from '../../model/assert-never.js';
import { GROUNDING_MODES } from '../../model/report.js';
import { quoted } from '../../model/wording.js';
import { ATTRIBUTES, SPAN_NAMES, type Span } from '../../trace/index.js';
import { G0_CAUSES } from '../causes/g0-causes.js';
import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';
import { lossFindings, recognitionFindings } from '../recognition-findings.js';
import type { Flaw } from '../references.js';
import type { Facts, Finding, Rule } from '../rule.js';
import type { Detachment, TraceTree } from '../trace-tree.js';
import { pointerOf } from '../trail.js';

/** G0: the trace and the envelope are such that the other rules can judge them. */
export const g0: Rule = {
  id: 'G0',
  title: 'the trace and the envelope can be judged',
  modes: GROUNDING_MODES,
  why: 'The other rules compare what the envelope says with what the trace says. That means something only when the trace is one tree below one root that the conductor wrote, its times are complete, the mode is known, and every list of citations is well formed. What cannot be recognised has not passed.',
  mend: 'Send every span of the run, finished, once, in the trace of the `traceparent` that was handed over and below its span; leave `dd.grounding_mode`, `dd.input_hash` and `dd.outcome` to the conductor; and give the payload a `schema_class` and a `grounded_on` list whose entries each have a `source_id` and a 64-digit lower-case `content_hash`.',
  passes: exampleRun({
    caption: 'One root, a finished model call below it, a well-formed payload.',
    mode: 'input_only',
    steps: [{ name: 'chat' }],
    cites: [EXAMPLE_INPUT],
  }),
  fails: exampleRun({
    caption: 'The payload has no `grounded_on` list at all.',
    mode: 'input_only',
    steps: [{ name: 'chat' }],
    envelope: { payload: { schema_class: 'Answer' } },
    evidence: [EXAMPLE_INPUT],
  }),
  causes: G0_CAUSES,
  check,
};

function check(facts: Facts): readonly Finding[] {
  const { root } = facts.tree;
  if (root === undefined) return [rootCount(facts.tree)];
  const findings: Finding[] = [];
  // Most lists are empty, and some may be too long to be spread into arguments.
  const add = (more: readonly Finding[]): void => {
    for (const finding of more) findings.push(finding);
  };
  add(modeFindings(facts, root));
  add(treeFindings(facts.tree, root));
  add(conductorFindings(facts.tree, root));
  add(witnessFindings(facts.tree, root));
  add(facts.tree.spans.filter(({ facts: { malformed } }) => malformed.length > 0).map(malformedMembers));
  add(recognitionFindings(facts));
  add(lossFindings(facts));
  add(timeFindings(facts.tree, root));
  add(facts.tree.retrievals.filter(isUnnamed).map(unnamedRetrieval));
  add(outcomeFindings(facts));
  add(payloadFindings(facts));
  add(facts.flaws.map(flawFinding));
  return findings;
}

function rootCount(tree: TraceTree): Finding {
  return {
    message: `the trace holds ${tree.roots.length} invoke_agent spans where it must hold exactly one`,
    span: tree.roots[1] ?? tree.spans[0],
  };
}

function modeFindings({ mode, envelope }: Facts, root: Span): readonly Finding[] {
  const node = envelope.get('grounding_mode');
  const spot = node === undefined ? undefined : { node, trail: { above: null, token: 'grounding_mode' } };
  if (mode === null) return [{ message: `the envelope names none of the modes ${GROUNDING_MODES.join(', ')}`, spot }];
  const stated = root.facts.groundingMode;
  if (stated === mode) return [];
  const other = stated === undefined ? 'no mode' : `the mode ${quoted(stated)}`;
  return [{ message: `the envelope names the mode ${mode} and the root span ${other}`, span: root, spot }];
}

const DETACHMENTS: Readonly<Record<Detachment, string>> = {
  parentless: 'has no parent and is not the root',
  orphan: 'names a parent that is not in the file',
  cycle: 'descends from itself',
};

function treeFindings(tree: TraceTree, root: Span): readonly Finding[] {
  const findings: Finding[] = foreignTraces(tree, root);
  if (tree.rootParent !== undefined)
    findings.push({ message: `the root's parent ${quoted(tree.rootParent.spanId)} is a span of the file`, span: root });
  for (const span of tree.repeated)
    findings.push({ message: `span id ${quoted(span.spanId)} stands more than once in the file`, span });
  for (const { span, why } of tree.detached)
    findings.push({
      message: `span ${quoted(span.spanId)} does not descend from the root: it ${DETACHMENTS[why]}`,
      span,
    });
  return findings;
}

/** One finding for each foreign trace, at its first span: a trace that was mixed in is one fault, not a thousand. */
function foreignTraces(tree: TraceTree, root: Span): Finding[] {
  if (tree.spans.every((span) => span.traceId === root.traceId)) return [];
  const first = new Map<string, Span>();
  for (const span of tree.spans) {
    if (span.traceId !== root.traceId && !first.has(span.traceId)) first.set(span.traceId, span);
  }
  return Array.from(first.values(), (span) => ({
    message: `span ${quoted(span.spanId)} belongs to the trace ${quoted(span.traceId)}, the root to ${quoted(root.traceId)}`,
    span,
  }));
}

function conductorFindings(tree: TraceTree, root: Span): readonly Finding[] {
  const findings: Finding[] = [];
  if (root.facts.inputHash === undefined)
    findings.push({ message: `the root span states no ${ATTRIBUTES.inputHash}`, span: root });
  for (const span of tree.spans) {
    const carried = span.facts.conductorAttributes;
    if (span === root || carried.length === 0) continue;
    findings.push({
      message: `span ${quoted(span.spanId)} carries ${carried.join(', ')}, which the conductor sets on the root alone`,
      span,
    });
  }
  return findings;
}

/**
 * The conductor's own spans stand before an agent's, and the root says how many of them it marked: a mark beyond these is the
 * agent's own doing.
 */
function witnessFindings(tree: TraceTree, root: Span): readonly Finding[] {
  const marked = tree.spans.filter((span) => span !== root && span.facts.witnessed === true);
  const written = root.facts.witnessedSpans ?? 0;
  if (marked.length < written)
    return [{ message: `the root states ${written} witnessed spans and the file holds ${marked.length}`, span: root }];
  return marked.slice(Math.max(0, written)).map((span) => ({
    message: `span ${quoted(span.spanId)} carries ${ATTRIBUTES.witnessed}, which only the conductor sets`,
    span,
  }));
}

function malformedMembers(span: Span): Finding {
  const members = span.facts.malformed.join(', ');
  return { message: `span ${quoted(span.spanId)} has members of the wrong type: ${members}`, span };
}

function timeFindings(tree: TraceTree, root: Span): readonly Finding[] {
  // An agent that hides its model call is judged by its own times in the call's place.
  const agents = tree.opaque.filter((span) => span !== root);
  return [[root], tree.retrievals, tree.chats, agents].flatMap((spans) =>
    spans
      .filter((span) => timeFault(span) !== undefined)
      .map((span) => ({ message: `${quoted(span.name)} span ${quoted(span.spanId)} ${timeFault(span)}`, span })),
  );
}

function timeFault({ start, end }: Span): string | undefined {
  if (start === null && end === null) return 'has neither start nor end';
  if (start === null) return 'has no start';
  if (end === null) return 'has no end';
  return end < start ? 'ends before it starts' : undefined;
}

/**
 * Of the spans named `retrieval` only, as contract 5 has it: other emitters name their documents otherwise or not at
 * all. One that names documents of its own, and nothing by `dd.*`, lacks nothing.
 */
function isUnnamed({ name, facts: { sourceId, contentHash, documents } }: Span): boolean {
  if (name !== SPAN_NAMES.retrieval || (sourceId !== undefined && contentHash !== undefined)) return false;
  return documents === undefined || sourceId !== undefined || contentHash !== undefined;
}

function unnamedRetrieval(span: Span): Finding {
  const id = span.facts.sourceId === undefined ? [ATTRIBUTES.sourceId] : [];
  const hash = span.facts.contentHash === undefined ? [ATTRIBUTES.contentHash] : [];
  return { message: `retrieval span ${quoted(span.spanId)} states no ${[...id, ...hash].join(' and no ')}`, span };
}

/** An outcome that cannot be read might hide a success, and with it the rules that bind one. */
function outcomeFindings({ envelope }: Facts): readonly Finding[] {
  const outcome = envelope.present('outcome');
  const status = outcome?.present('status');
  if (outcome !== undefined && outcome.kind !== 'object')
    return [{ message: 'the outcome is not an object', spot: { node: outcome, trail: OUTCOME } }];
  if (status === undefined || status.kind === 'string') return [];
  return [
    {
      message: 'the outcome has a status that is not a string',
      spot: { node: status, trail: { above: OUTCOME, token: 'status' } },
    },
  ];
}

const OUTCOME = { above: null, token: 'outcome' };

function payloadFindings({ payload, succeeded }: Facts): readonly Finding[] {
  if (payload === undefined) return succeeded ? [{ message: 'the run succeeded and has no payload' }] : [];
  const spot = { node: payload, trail: { above: null, token: 'payload' } };
  if (payload.kind !== 'object') return [{ message: 'the payload is not an object', spot }];
  const findings: Finding[] = [];
  if (payload.get('schema_class')?.string() === undefined)
    findings.push({ message: 'the payload has no schema_class that is a string', spot });
  if (payload.present('grounded_on') === undefined) findings.push({ message: 'the payload has no grounded_on', spot });
  return findings;
}

function flawFinding(flaw: Flaw): Finding {
  const where = quoted(pointerOf(flaw.trail));
  return { message: `${where} ${flawText(flaw.kind)}`, spot: flaw };
}

function flawText(kind: Flaw['kind']): string {
  switch (kind) {
    case 'list':
      return 'is not a list';
    case 'entry':
      return 'is not an object with a source_id and a content_hash of 64 lower-case hex digits';
    default:
      return assertNever(kind);
  }
}
