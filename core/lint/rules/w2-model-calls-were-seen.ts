import { GROUNDING_MODES } from '../../model/report.js';
import { quoted } from '../../model/wording.js';
import type { Span } from '../../trace/index.js';
import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';
import { spanFinding, spotFinding } from '../finding.js';
import { matchCalls } from '../match-calls.js';
import type { Facts, Finding, Rule } from '../rule.js';

const ASKED = { 'dd.model_id': 'gpt-4o-2024-08-06', 'dd.requested_model_id': 'gpt-4o' };
const UNTIL_20 = { end_time: '2026-09-30T10:00:00.020Z' };
const REQUIRED = { 'dd.require': 'witnessed', 'dd.witnessed_spans': 1 };

/** W2: the model calls that the agent declares are those that the conductor saw. */
export const w2: Rule = {
  id: 'W2',
  title: 'the declared model calls and those that the conductor saw are the same',
  modes: GROUNDING_MODES,
  why: 'An agent can leave a model call out of its trace, or declare one that went to another model than it says. Calls that go through the conductor’s pass-through are written down by the conductor. One that only the agent knows went another way; one that only the conductor knows was kept quiet. The rule is judged only where the profile or the expectation asks for it with `require: witnessed`.',
  mend: 'Call models at the address that `OPENAI_BASE_URL` or `ANTHROPIC_BASE_URL` names, and record one `chat` span around each call. Name the model in it as it was asked for, as it answered, or not at all; the same holds for the result’s `model_id`. A call that failed needs no span. See docs/witness.md.',
  passes: exampleRun({
    caption:
      'The call that the conductor saw began within the span that the agent recorded of it, and went to the model that it names.',
    mode: 'input_only',
    root: REQUIRED,
    steps: [
      { name: 'chat', at: 12, attributes: { ...ASKED, 'dd.witnessed': true } },
      { name: 'chat', at: 10, attributes: { 'dd.model_id': 'gpt-4o' }, members: UNTIL_20 },
    ],
    cites: [EXAMPLE_INPUT],
  }),
  fails: exampleRun({
    caption: 'The conductor saw one call, and the agent names another model.',
    mode: 'input_only',
    root: REQUIRED,
    steps: [
      { name: 'chat', at: 12, attributes: { ...ASKED, 'dd.witnessed': true } },
      { name: 'chat', at: 10, attributes: { 'dd.model_id': 'gpt-5' }, members: UNTIL_20 },
    ],
    cites: [EXAMPLE_INPUT],
  }),
  check,
};

function check(facts: Facts): readonly Finding[] {
  const { tree, witness } = facts;
  if (witness === null || !witness.required) return [];
  const seen = tree.chats.filter((span) => witness.spans.has(span));
  const declared = tree.chats.filter((span) => !witness.spans.has(span));
  const { unseen, undeclared, renamed } = matchCalls({ seen, declared, spans: tree.spans, opaque: tree.opaque });
  return [
    ...unseen.map(unseenFinding),
    ...undeclared.map(undeclaredFinding),
    ...renamed.map(renamedFinding),
    ...envelopeFindings(facts, seen),
  ];
}

function unseenFinding(span: Span): Finding {
  return spanFinding(
    `model call ${quoted(span.spanId)}${ofModels(span)} is declared, and the conductor saw none that it could be`,
    span,
  );
}

function undeclaredFinding(span: Span): Finding {
  return spanFinding(
    `the conductor saw the model call ${quoted(span.spanId)}${ofModels(span)}, and the agent declares none that it could be`,
    span,
  );
}

function renamedFinding({ declared, seen }: { readonly declared: Span; readonly seen: Span }): Finding {
  return spanFinding(
    `model call ${quoted(declared.spanId)} is declared${ofModels(declared)}, and the one that the conductor saw in its place, ${quoted(seen.spanId)}, is${ofModels(seen) || ' of a model without a name'}`,
    declared,
  );
}

/** The result names a model as well, and it is what a reader of the envelope is told. */
function envelopeFindings({ envelope }: Facts, seen: readonly Span[]): readonly Finding[] {
  const node = envelope.get('telemetry')?.present('model_id');
  const name = node?.string();
  const names = new Set(seen.flatMap(modelsOf));
  if (node === undefined || name === undefined || partsOf(name).every((part) => names.has(part))) return [];
  const saw =
    names.size === 0 ? 'no call of a model with a name' : `calls of ${[...names].sort().map(quoted).join(', ')}`;
  const trail = { above: { above: null, token: 'telemetry' }, token: 'model_id' };
  return [spotFinding(`the envelope names the model ${quoted(name)}, and the conductor saw ${saw}`, { node, trail })];
}

/** Several models are joined by commas. */
function partsOf(name: string): readonly string[] {
  return name.split(',').map((part) => part.trim());
}

function modelsOf({ facts: { models = [] } }: Span): readonly string[] {
  return models;
}

function ofModels(span: Span): string {
  const names = modelsOf(span).map((name) => (name === '' ? 'a name that is no text' : quoted(name)));
  return names.length === 0 ? '' : ` of ${names.join(' and ')}`;
}
