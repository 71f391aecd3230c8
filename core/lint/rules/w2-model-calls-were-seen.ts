import { GROUNDING_MODES } from '../../model/report.js';
import { quoted } from '../../model/wording.js';
import type { Span } from '../../trace/index.js';
import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';
import { matchCalls } from '../match-calls.js';
import type { Facts, Finding, Rule } from '../rule.js';

const REQUIRED = { 'dd.require': 'witnessed', 'dd.witnessed_spans': 1 };

/** W2: the model calls that the agent declares are those that the conductor saw. */
export const w2: Rule = {
  id: 'W2',
  title: 'the declared model calls and those that the conductor saw are the same',
  modes: GROUNDING_MODES,
  why: 'An agent can leave a model call out of its trace, or declare one that went to another model than it says. Calls that go through the conductor’s pass-through are written down by the conductor. One that only the agent knows went another way; one that only the conductor knows was kept quiet. The rule is judged only where the profile or the expectation asks for it with `require: witnessed`.',
  mend: 'Call models at the address that `OPENAI_BASE_URL` or `ANTHROPIC_BASE_URL` names, and record one `chat` span around each call. A call that failed needs neither. See docs/witness.md.',
  passes: exampleRun({
    caption: 'The call that the conductor saw began within the span that the agent recorded of it.',
    mode: 'input_only',
    root: REQUIRED,
    steps: [
      { name: 'chat', at: 12, attributes: { 'dd.witnessed': true } },
      { name: 'chat', at: 10, members: { end_time: '2026-09-30T10:00:00.020Z' } },
    ],
    cites: [EXAMPLE_INPUT],
  }),
  fails: exampleRun({
    caption: 'The conductor saw one call, and the agent declares two.',
    mode: 'input_only',
    root: REQUIRED,
    steps: [
      { name: 'chat', at: 12, attributes: { 'dd.witnessed': true } },
      { name: 'chat', at: 10, members: { end_time: '2026-09-30T10:00:00.020Z' } },
      { name: 'chat', at: 11, members: { end_time: '2026-09-30T10:00:00.030Z' } },
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
  const { unseen, undeclared } = matchCalls({ seen, declared, spans: tree.spans, opaque: tree.opaque });
  return [...unseen.map(unseenFinding), ...undeclared.map(undeclaredFinding)];
}

function unseenFinding(span: Span): Finding {
  return {
    message: `model call ${quoted(span.spanId)} is declared, and the conductor saw none that it could be`,
    span,
  };
}

function undeclaredFinding(span: Span): Finding {
  return {
    message: `the conductor saw the model call ${quoted(span.spanId)}, and the agent declares none that it could be`,
    span,
  };
}
