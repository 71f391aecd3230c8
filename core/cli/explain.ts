import { DOCTOR_CHECKS } from '../doctor/index.js';
import { codeText, explain, explainable } from '../lint/index.js';
import { ERROR_CODES } from '../model/error-codes.js';
import { didYouMean } from '../model/nearest.js';
import type { Conclusion } from '../report/conclusion.js';
import { SOURCE_CHECKS } from '../sources/index.js';
import type { Call } from './command.js';
import { deliver } from './deliver.js';
import { usage } from './options.js';

/** What may stand in brackets behind a message: the codes of errors, and the checks of `doctor`. */
const CODES: ReadonlyMap<string, { readonly means: string }> = new Map(
  Object.entries({ ...DOCTOR_CHECKS, ...ERROR_CODES }).sort(([one], [other]) => (one < other ? -1 : 1)),
);

/** `grounding explain [TOPIC]`: the page about a rule, a mode or a code; without a topic, all of them a line each. */
export async function execute(call: Call): Promise<Conclusion> {
  const [given] = call.args;
  if (given === undefined) {
    await deliver(call, listOfTopics());
    return 'passed';
  }
  // As it stands behind a message.
  const topic = given.replace(/^\[(.*)\]$/, '$1');
  const page = explain(topic, SOURCE_CHECKS) ?? codePage(topic);
  if (page === undefined) throw unknownTopic(topic);
  await deliver(call, page);
  return 'passed';
}

function codePage(topic: string): string | undefined {
  const code = CODES.get(topic);
  return code === undefined ? undefined : codeText(topic, code.means);
}

/** The first line of a page is its heading, which says what it is about. */
function listOfTopics(): string {
  const headings = explainable(SOURCE_CHECKS).map((topic) => explain(topic, SOURCE_CHECKS)?.split('\n', 1)[0] ?? '');
  const codes = [...CODES].map(([code, { means }]) => `${code}: ${means}`);
  return `${[...headings.map((heading) => heading.replace(/^## /, '')), '', ...codes].join('\n')}\n`;
}

function unknownTopic(topic: string): Error {
  const known = explainable(SOURCE_CHECKS);
  const meant = didYouMean(topic, [...CODES.keys(), ...known]) || didYouMean(topic.toUpperCase(), known);
  return usage(
    `there is no rule, mode or code ${JSON.stringify(topic)}${meant}`,
    `name one of ${known.join(', ')}, or a code that \`grounding explain\` lists`,
  );
}
