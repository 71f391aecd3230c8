import { readInputFile } from '../io/input-file.js';
import { judge, readEnvelope } from '../lint/index.js';
import { type Conclusion, concludeCheck } from '../report/conclusion.js';
import { groundingText } from '../report/grounding-text.js';
import { jsonText } from '../report/json-text.js';
import { groundingJson } from '../report/verdict-json.js';
import { readSpans } from '../trace/index.js';
import type { Call } from './command.js';
import { deliver } from './deliver.js';

/** `grounding lint SPANS ENVELOPE`: the linter over a stored run, offline. */
export async function execute(call: Call): Promise<Conclusion> {
  const [spansFile = '', envelopeFile = ''] = call.args;
  const spans = readSpans(readInputFile(spansFile), { file: spansFile });
  const envelope = readEnvelope(readInputFile(envelopeFile), { file: envelopeFile });
  const report = judge(spans, envelope);
  const json = call.options.text('format') === 'json';
  await deliver(call, json ? jsonText(groundingJson(report)) : groundingText(report));
  return concludeCheck(report.passed);
}
