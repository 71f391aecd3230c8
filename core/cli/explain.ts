import { explain, explainable } from '../lint/index.js';
import type { Conclusion } from '../report/conclusion.js';
import { SOURCE_CHECKS } from '../sources/index.js';
import type { Call } from './command.js';
import { deliver } from './deliver.js';
import { usage } from './options.js';

/** `grounding explain RULE-OR-MODE`: the page of docs/rules.md about it. */
export async function execute(call: Call): Promise<Conclusion> {
  const [topic = ''] = call.args;
  const page = explain(topic, SOURCE_CHECKS);
  if (page === undefined)
    throw usage(
      `there is no rule or mode ${JSON.stringify(topic)}`,
      `name one of ${explainable(SOURCE_CHECKS).join(', ')}`,
    );
  await deliver(call, page);
  return 'passed';
}
