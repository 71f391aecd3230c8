import { quoted } from '../../model/wording.js';
import { N1_CAUSES } from '../causes/n1-causes.js';
import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';
import { spanFinding } from '../finding.js';
import type { Facts, Finding, Rule } from '../rule.js';

/** N1: the trace holds no model calls. */
export const n1: Rule = {
  id: 'N1',
  title: 'the run calls no model',
  modes: ['none'],
  why: 'The mode `none` promises fixed rules: the same input always gives the same result. A model call takes that promise back.',
  mend: 'Remove the model call, or declare the mode `input_only`.',
  passes: exampleRun({
    caption: 'The agent applies its rules and calls nothing.',
    mode: 'none',
    cites: [EXAMPLE_INPUT],
  }),
  fails: exampleRun({
    caption: 'The agent asked a model.',
    mode: 'none',
    steps: [{ name: 'chat' }],
    cites: [EXAMPLE_INPUT],
  }),
  causes: N1_CAUSES,
  check,
};

function check({ tree }: Facts): readonly Finding[] {
  const findings: Finding[] = [];
  for (const span of tree.chats)
    findings.push(spanFinding(`model call ${quoted(span.spanId)} stands in a run whose mode allows none`, span));
  for (const span of tree.auxiliaries)
    findings.push(
      spanFinding(`${span.role} ${quoted(span.spanId)} asks a model, in a run whose mode allows none`, span),
    );
  for (const span of tree.opaque) {
    const use = `states the use of a model (${span.recognition.modelUse})`;
    findings.push(spanFinding(`agent ${quoted(span.spanId)} ${use} without showing the call`, span));
  }
  return findings;
}
