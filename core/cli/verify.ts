import { readInputFile } from '../io/input-file.js';
import { diskSourceFiles } from '../io/source-files.js';
import { readEnvelope } from '../lint/index.js';
import type { SourcesReport } from '../model/report.js';
import { type Conclusion, concludeCheck } from '../report/conclusion.js';
import { jsonText } from '../report/json-text.js';
import { reportOfVerify } from '../report/report-of-envelope.js';
import { sourcesText } from '../report/sources-text.js';
import { underPolicy } from '../report/unresolved.js';
import { sourcesJson } from '../report/verdict-json.js';
import { checkSources, loadSources } from '../sources/index.js';
import type { Call } from './command.js';
import { deliver } from './deliver.js';
import { note } from './note.js';
import { noteVerdict } from './note-verdict.js';
import { formatOf, sharedText } from './report-format.js';
import { settingsOf } from './settings.js';

/** `grounding verify ENVELOPE`: the source check over a stored envelope, offline. */
export async function execute(call: Call): Promise<Conclusion> {
  const [file = ''] = call.args;
  const envelope = readEnvelope(readInputFile(file), { file });
  const { sources, unresolved } = settingsOf(call);
  const copies = loadSources(diskSourceFiles, sources);
  let report: SourcesReport;
  try {
    for (const notice of copies.notices) await note(call, notice);
    report = underPolicy(checkSources(envelope, copies), unresolved);
  } finally {
    copies.close();
  }
  await deliver(call, await textOf(call, { report, told: { file, unresolved, notices: copies.notices } }));
  if (unresolved === 'warn' && report.unresolved.length > 0)
    await note(call, `unresolved evidence: ${report.unresolved.length}; no pinned copy covers it`);
  if (formatOf(call) === 'text') await noteVerdict(call, { envelope, rules: report.rules });
  return concludeCheck(report.passed);
}

async function textOf(
  call: Call,
  { report, told }: { readonly report: SourcesReport; readonly told: Parameters<typeof reportOfVerify>[1] },
): Promise<string> {
  const format = formatOf(call);
  if (format === 'text') return sourcesText(report);
  return format === 'json' ? jsonText(sourcesJson(report)) : sharedText(reportOfVerify(report, told), format);
}
