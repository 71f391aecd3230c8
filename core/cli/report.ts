import { join, relative, resolve } from 'node:path';
import { OVERVIEW_FILE, RUNS_FOLDER } from '../html/names.js';
import { counted } from '../html/wording.js';
import { oneLine } from '../model/errors.js';
import type { Conclusion } from '../report/conclusion.js';
import { declaredDerivations } from '../runner/declared-derivations.js';
import { segmentOf } from '../runner/run-files.js';
import { openReport, type ReportSettings } from '../runner/write-report.js';
import type { Call } from './command.js';
import { note } from './note.js';
import { usage } from './options.js';
import { startProgress } from './progress.js';
import { selectionOf } from './selection.js';
import { settingsOf } from './settings.js';

/** `grounding report [RUNS]`: stored runs, judged again, as pages for a browser. */
export async function execute(call: Call): Promise<Conclusion> {
  const report = await openReport(await settingsOfReport(call));
  const progress = await startProgress(call.world.err, { total: report.total, says: 'rate' });
  const forget = call.world.onInterrupt(() => report.close());
  try {
    for (const notice of report.notices) await note(call, notice);
    const counts = new Map<string, number>();
    for await (const { state } of report.pages()) {
      counts.set(state, (counts.get(state) ?? 0) + 1);
      progress.step();
    }
    report.finish();
    progress.stop();
    const states = [...counts].map(([state, count]) => `${count} ${state}`).sort();
    const page = join(call.options.required('output'), OVERVIEW_FILE);
    await call.world.out.write(`${oneLine(page)}: ${counted(report.total, 'run')}: ${states.join(', ')}\n`);
    return 'passed';
  } finally {
    forget();
    progress.stop();
    await report.close();
  }
}

async function settingsOfReport(call: Call): Promise<ReportSettings> {
  const settings = settingsOf(call);
  const runs = call.args[0] ?? settings.runs;
  const output = call.options.text('output');
  if (output === undefined) throw usage('--output is missing', 'name the folder that the report should go to');
  return {
    runs,
    sources: settings.sources,
    unresolved: settings.unresolved,
    selection: selectionOf(call),
    jobs: call.options.count('jobs') ?? call.world.cores,
    output: { path: output, folder: call.world.cwd },
    shownAs: runs,
    linkTo: call.options.given('link-files') ? wayTo(runs, { output, cwd: call.world.cwd }) : null,
    derivationsOf: call.options.text('agents') === undefined ? undefined : await declaredDerivations(settings),
  };
}

/** From the folder of a run's page to the runs folder, as an address. */
function wayTo(runs: string, { output, cwd }: { readonly output: string; readonly cwd: string }): string {
  const way = relative(resolve(cwd, output, RUNS_FOLDER), resolve(cwd, runs));
  return way
    .split(/[/\\]/)
    .map((part) => (part === '..' ? part : segmentOf(part)))
    .join('/');
}
