import { readInputFile } from '../io/input-file.js';
import { diskSourceFiles } from '../io/source-files.js';
import { readEnvelope } from '../lint/index.js';
import type { SourcesReport } from '../model/report.js';
import { type Conclusion, concludeCheck } from '../report/conclusion.js';
import { jsonText } from '../report/json-text.js';
import { sourcesText } from '../report/sources-text.js';
import { underPolicy } from '../report/unresolved.js';
import { sourcesJson } from '../report/verdict-json.js';
import { checkSources, loadSources } from '../sources/index.js';
import type { Call } from './command.js';
import { deliver } from './deliver.js';
import { note } from './note.js';
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
  const json = call.options.text('format') === 'json';
  await deliver(call, json ? jsonText(sourcesJson(report)) : sourcesText(report));
  if (unresolved === 'warn' && report.unresolved.length > 0)
    await note(call, `unresolved evidence: ${report.unresolved.length}; no pinned copy covers it`);
  return concludeCheck(report.passed);
}
