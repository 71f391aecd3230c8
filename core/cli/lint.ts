import { readInputFile } from '../io/input-file.js';
import { judge, readEnvelope } from '../lint/index.js';
import type { GroundingReport } from '../model/report.js';
import { type Conclusion, concludeCheck } from '../report/conclusion.js';
import { groundingText } from '../report/grounding-text.js';
import { jsonText } from '../report/json-text.js';
import { reportOfLint } from '../report/report-of-envelope.js';
import { groundingJson } from '../report/verdict-json.js';
import { readSpans } from '../trace/index.js';
import type { Call } from './command.js';
import { deliver } from './deliver.js';
import { noteDoubts } from './note-doubts.js';
import { noteUnknown } from './note-unknown.js';
import { noteVerdict } from './note-verdict.js';
import { formatOf, sharedText } from './report-format.js';

/** `grounding lint SPANS ENVELOPE`: the linter over a stored run, offline. */
export async function execute(call: Call): Promise<Conclusion> {
  const [spansFile = '', envelopeFile = ''] = call.args;
  const spans = readSpans(readInputFile(spansFile), { file: spansFile });
  const envelope = readEnvelope(readInputFile(envelopeFile), { file: envelopeFile });
  const report = judge(spans, envelope);
  await deliver(call, await textOf(call, { report, file: envelopeFile }));
  if (formatOf(call) === 'text') {
    await noteVerdict(call, { envelope, rules: report.rules });
    await noteUnknown(call, report);
    await noteDoubts(call, report);
  }
  return concludeCheck(report.passed);
}

async function textOf(
  call: Call,
  { report, file }: { readonly report: GroundingReport; readonly file: string },
): Promise<string> {
  const format = formatOf(call);
  if (format === 'text') return groundingText(report);
  return format === 'json' ? jsonText(groundingJson(report)) : sharedText(reportOfLint(report, file), format);
}
