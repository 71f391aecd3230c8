import { explain, explainable, SOURCE_CHECKS } from '../../core/index.js';
import { CONFIG_FILE } from '../config/grounding-config.js';
import { CHECK_NAME } from '../tell/texts.js';

/** How a command is answered: a reaction, and words where a reaction does not say enough. */
export interface Answer {
  readonly reaction: '+1' | '-1' | 'confused';
  readonly text: string | null;
}

/** Somebody who may not ask. */
export const NOT_ALLOWED: Answer = {
  reaction: '-1',
  text: 'Commands are obeyed for people who may write to this repository.',
};

/** What cannot be understood. */
export const NOT_UNDERSTOOD: Answer = { reaction: 'confused', text: `That is none of these.\n\n${commands()}` };

/** `/grounding help`: what can be asked, and whether there is anything to ask about. */
export function helpAnswer(isConfigured: boolean): Answer {
  const state = isConfigured
    ? `The check \`${CHECK_NAME}\` is kept by \`${CONFIG_FILE}\` of the default branch.`
    : `This repository has no \`${CONFIG_FILE}\` on its default branch, so that nothing is checked. A file that holds \`{}\` switches the check on.`;
  return { reaction: '+1', text: `${state}\n\n${commands()}` };
}

/** `/grounding explain RULE`: the page about a rule, a mode or an error code. The topic is a commenter's, and is never repeated. */
export function explainAnswer(topic: string): Answer {
  const page = explain(topic, SOURCE_CHECKS);
  if (page !== undefined) return { reaction: '+1', text: page };
  const known = explainable(SOURCE_CHECKS).map((one) => `\`${one}\``);
  return {
    reaction: 'confused',
    text: `There is no rule, mode or error code of this name. There are ${known.join(', ')}.`,
  };
}

/** `/grounding recheck` without anything to check by. */
export const NOT_CONFIGURED: Answer = { reaction: 'confused', text: helpAnswer(false).text };

function commands(): string {
  return [
    '- `/grounding recheck` judges this pull request again.',
    '- `/grounding explain RULE` says what a rule, a mode or an error code means, and how to mend what breaks it.',
    '- `/grounding help` says this.',
    '',
    'A command is the whole first line of a comment.',
  ].join('\n');
}
