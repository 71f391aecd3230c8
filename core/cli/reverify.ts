import { oneLine } from '../model/errors.js';
import { verdictLine } from '../report/archive-json.js';
import { ArchiveCounter, concludeArchive } from '../report/archive-summary.js';
import { summaryText, verdictText } from '../report/archive-text.js';
import type { Conclusion } from '../report/conclusion.js';
import { paletteOf } from '../report/palette.js';
import type { OpenedArchive } from '../reverify/reverify.js';
import { openExaminer, openRuns } from '../runner/reverify-archive.js';
import type { Call } from './command.js';
import { note } from './note.js';
import { startProgress } from './progress.js';
import { resultStream } from './result-stream.js';
import { selectionOf } from './selection.js';
import { settingsOf } from './settings.js';
import { surfaceOf } from './surface.js';

/** `grounding reverify [RUNS]`: both checks over every stored run, and the tests for tampering (contracts 9 and 10). */
export async function execute(call: Call): Promise<Conclusion> {
  const { sources, unresolved, runs: configured } = settingsOf(call);
  const runs = call.args[0] ?? configured;
  const jobs = call.options.count('jobs') ?? call.world.cores;
  const opened = await openRuns({ runs, sources, unresolved, selection: selectionOf(call) });
  const examiner = openExaminer({ folder: runs, sources, engine: null, sealed: false }, { jobs, runs: opened.total });
  const progress = await startProgress(call.world.err, opened.total);
  const result = resultStream(call);
  try {
    for (const notice of examiner.notices) await note(call, notice);
    await noteBadLines(call, opened);
    const counter = new ArchiveCounter();
    const json = call.options.text('format') === 'json';
    const palette = paletteOf(surfaceOf(call).colour);
    for await (const { verdict, examined } of opened.rows({ examiner })) {
      counter.add(verdict, { fromCache: examined?.fromCache ?? false });
      await result.write(json ? verdictLine(verdict) : verdictText(verdict, palette));
      progress.step();
    }
    const summary = counter.summary();
    if (!json) await result.write(summaryText(summary, palette));
    await result.end();
    return concludeArchive(summary);
  } finally {
    result.discard();
    progress.stop();
    await examiner.close();
  }
}

/** An index line that names no run is reported and ignored (contract 10). */
async function noteBadLines(call: Call, { index }: OpenedArchive): Promise<void> {
  const bad = index?.bad ?? { count: 0, first: [] };
  for (const { line, reason } of bad.first)
    await note(call, `invocations.jsonl:${line}: ignored, since it cannot be read: ${oneLine(reason)}`);
  const more = bad.count - bad.first.length;
  if (more > 0) await note(call, `invocations.jsonl: ${more} more lines were ignored`);
}
