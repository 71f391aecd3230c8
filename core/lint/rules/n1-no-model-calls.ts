import { quoted } from '../../model/wording.js';
import { N1_CAUSES } from '../causes/n1-causes.js';
import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';
import type { Rule } from '../rule.js';

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
  check: ({ tree }) => [
    ...tree.chats.map((span) => ({
      message: `model call ${quoted(span.spanId)} stands in a run whose mode allows none`,
      span,
    })),
    ...tree.auxiliaries.map((span) => ({
      message: `${span.role} ${quoted(span.spanId)} asks a model, in a run whose mode allows none`,
      span,
    })),
    ...tree.opaque.map((span) => ({
      message: `agent ${quoted(span.spanId)} states the use of a model (${span.recognition.modelUse}) without showing the call`,
      span,
    })),
  ],
};
