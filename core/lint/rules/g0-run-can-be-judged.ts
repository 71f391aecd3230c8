import { assertNever } from '../../model/assert-never.js';
import { GROUNDING_MODES } from '../../model/report.js';
import { quoted } from '../../model/wording.js';
import { ATTRIBUTES, SPAN_NAMES, type Span } from '../../trace/index.js';
import { G0_CAUSES } from '../causes/g0-causes.js';
import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';
import { findingAt, spanFinding, spotFinding } from '../finding.js';
import { addLossFindings, addRecognitionFindings } from '../recognition-findings.js';
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
  // Each adds to one list: most find nothing, and some may find more than could be spread into arguments.
  const found: Finding[] = [];
  judgeMode(facts, { root, found });
  judgeTree(facts.tree, { root, found });
  judgeConductor(facts.tree, { root, found });
  judgeWitnessed(facts.tree, { root, found });
  for (const span of facts.tree.spans) if (span.facts.malformed.length > 0) found.push(malformedMembers(span));
  addRecognitionFindings(facts, found);
  addLossFindings(facts, found);
  judgeTimes(facts.tree, { root, found });
  for (const span of facts.tree.retrievals) if (isUnnamed(span)) found.push(unnamedRetrieval(span));
  judgeOutcome(facts, found);
  judgePayload(facts, found);
  for (const flaw of facts.flaws) found.push(flawFinding(flaw));
  return found;
}

/** The root by which a trace is judged, and where what is found goes. */
interface Judging {
  readonly root: Span;
  readonly found: Finding[];
}

function rootCount(tree: TraceTree): Finding {
  return spanFinding(
    `the trace holds ${tree.roots.length} invoke_agent spans where it must hold exactly one`,
    tree.roots[1] ?? tree.spans[0],
  );
}

function judgeMode({ mode, envelope }: Facts, { root, found }: Judging): void {
  const stated = root.facts.groundingMode;
  if (mode !== null && stated === mode) return;
  const node = envelope.get('grounding_mode');
  const spot = node === undefined ? undefined : { node, trail: { above: null, token: 'grounding_mode' } };
  if (mode === null) {
    found.push(spotFinding(`the envelope names none of the modes ${GROUNDING_MODES.join(', ')}`, spot));
    return;
  }
  const other = stated === undefined ? 'no mode' : `the mode ${quoted(stated)}`;
  const message = `the envelope names the mode ${mode} and the root span ${other}`;
  found.push(findingAt(message, { cited: undefined, span: root, spot }));
}

const DETACHMENTS: Readonly<Record<Detachment, string>> = {
  parentless: 'has no parent and is not the root',
  orphan: 'names a parent that is not in the file',
  cycle: 'descends from itself',
};

function judgeTree(tree: TraceTree, { root, found }: Judging): void {
  for (const span of foreignTraces(tree, root)) {
    const own = `span ${quoted(span.spanId)} belongs to the trace ${quoted(span.traceId)}`;
    found.push(spanFinding(`${own}, the root to ${quoted(root.traceId)}`, span));
  }
  if (tree.rootParent !== undefined)
    found.push(spanFinding(`the root's parent ${quoted(tree.rootParent.spanId)} is a span of the file`, root));
  for (const span of tree.repeated)
    found.push(spanFinding(`span id ${quoted(span.spanId)} stands more than once in the file`, span));
  for (const { span, why } of tree.detached) {
    const message = `span ${quoted(span.spanId)} does not descend from the root: it ${DETACHMENTS[why]}`;
    found.push(spanFinding(message, span));
  }
}

/** The first span of each foreign trace: a trace that was mixed in is one fault, not a thousand. */
function foreignTraces(tree: TraceTree, root: Span): Iterable<Span> {
  let first: Map<string, Span> | null = null;
  for (const span of tree.spans) {
    if (span.traceId === root.traceId) continue;
    first ??= new Map();
    if (!first.has(span.traceId)) first.set(span.traceId, span);
  }
  return first?.values() ?? [];
}

function judgeConductor(tree: TraceTree, { root, found }: Judging): void {
  if (root.facts.inputHash === undefined)
    found.push(spanFinding(`the root span states no ${ATTRIBUTES.inputHash}`, root));
  for (const span of tree.spans) {
    const carried = span.facts.conductorAttributes;
    if (span === root || carried.length === 0) continue;
    const message = `span ${quoted(span.spanId)} carries ${carried.join(', ')}, which the conductor sets on the root alone`;
    found.push(spanFinding(message, span));
  }
}

/**
 * The conductor's own spans stand before an agent's, and the root says how many of them it marked: a mark beyond these is the
 * agent's own doing.
 */
function judgeWitnessed(tree: TraceTree, { root, found }: Judging): void {
  const written = Math.max(0, root.facts.witnessedSpans ?? 0);
  let marked = 0;
  for (const span of tree.spans) {
    if (span === root || span.facts.witnessed !== true) continue;
    marked++;
    if (marked <= written) continue;
    const message = `span ${quoted(span.spanId)} carries ${ATTRIBUTES.witnessed}, which only the conductor sets`;
    found.push(spanFinding(message, span));
  }
  if (marked < written)
    found.push(spanFinding(`the root states ${written} witnessed spans and the file holds ${marked}`, root));
}

function malformedMembers(span: Span): Finding {
  const members = span.facts.malformed.join(', ');
  return spanFinding(`span ${quoted(span.spanId)} has members of the wrong type: ${members}`, span);
}

function judgeTimes({ retrievals, chats, opaque }: TraceTree, { root, found }: Judging): void {
  judgeTime(root, found);
  for (const span of retrievals) judgeTime(span, found);
  for (const span of chats) judgeTime(span, found);
  // An agent that hides its model call is judged by its own times in the call's place.
  for (const span of opaque) if (span !== root) judgeTime(span, found);
}

function judgeTime(span: Span, found: Finding[]): void {
  const fault = timeFault(span);
  if (fault === undefined) return;
  found.push(spanFinding(`${quoted(span.name)} span ${quoted(span.spanId)} ${fault}`, span));
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
  return spanFinding(`retrieval span ${quoted(span.spanId)} states no ${[...id, ...hash].join(' and no ')}`, span);
}

/** An outcome that cannot be read might hide a success, and with it the rules that bind one. */
function judgeOutcome({ envelope }: Facts, found: Finding[]): void {
  const outcome = envelope.present('outcome');
  if (outcome === undefined) return;
  if (outcome.kind !== 'object') {
    found.push(spotFinding('the outcome is not an object', { node: outcome, trail: OUTCOME }));
    return;
  }
  const status = outcome.present('status');
  if (status === undefined || status.kind === 'string') return;
  const spot = { node: status, trail: { above: OUTCOME, token: 'status' } };
  found.push(spotFinding('the outcome has a status that is not a string', spot));
}

const OUTCOME = { above: null, token: 'outcome' };

function judgePayload({ payload, succeeded }: Facts, found: Finding[]): void {
  if (payload === undefined) {
    if (succeeded) found.push(spotFinding('the run succeeded and has no payload', undefined));
    return;
  }
  const spot = { node: payload, trail: { above: null, token: 'payload' } };
  if (payload.kind !== 'object') {
    found.push(spotFinding('the payload is not an object', spot));
    return;
  }
  if (payload.get('schema_class')?.kind !== 'string')
    found.push(spotFinding('the payload has no schema_class that is a string', spot));
  if (payload.present('grounded_on') === undefined) found.push(spotFinding('the payload has no grounded_on', spot));
}

function flawFinding(flaw: Flaw): Finding {
  const where = quoted(pointerOf(flaw.trail));
  return spotFinding(`${where} ${flawText(flaw.kind)}`, flaw);
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
