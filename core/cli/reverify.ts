import manifest from '../../package.json' with { type: 'json' };
import { systemClock } from '../io/clock.js';
import { realPathOf } from '../io/file-lines.js';
import { writeOutputFile } from '../io/output-file.js';
import { digestOfFile } from '../io/sealed-files.js';
import { oneLine } from '../model/errors.js';
import type { Conclusion } from '../report/conclusion.js';
import { composeMeta, metaPath, type ShardCall, type ShardMeta } from '../reverify/shard-meta.js';
import { type Ending, openReverify, type SessionOfRuns } from '../runner/reverify-session.js';
import { timestampOf } from '../trace/timestamp.js';
import { beginReport } from './archive-report.js';
import type { Call } from './command.js';
import { driftOptions } from './drift-options.js';
import { note } from './note.js';
import { usage } from './options.js';
import { refuseIntoArchive } from './outside-archive.js';
import { startProgress } from './progress.js';
import { selectionOf } from './selection.js';
import { settingsOf } from './settings.js';

/** `grounding reverify [RUNS]`: both checks over every stored run, and the tests for tampering (contracts 9 and 10). */
export async function execute(call: Call): Promise<Conclusion> {
  const settings = sessionSettings(call);
  if (settings.tar === null) refuseIntoArchive(call, settings.runs);
  const { failOn } = driftOptions(call);
  const session = await openReverify(settings);
  const progress = await startProgress(call.world.err, { total: session.total, says: 'rate' });
  const report = beginReport(call, settings.runs);
  const forget = call.world.onInterrupt(async () => {
    report.discard();
    await session.close();
  });
  try {
    for (const notice of session.notices) await note(call, notice);
    for await (const runs of session.rows()) {
      await report.add(runs);
      progress.step(runs.length);
    }
    progress.stop();
    const ending = session.finish();
    const { summary, conclusion, sha256 } = await report.end(ending.drift, failOn);
    const { shard } = settings.selection;
    const { wanted: runs, index } = session;
    if (shard !== null)
      writeMeta(call, { shard, count: summary.runs, sha256, runs, index, call: callOf(call, settings) });
    await noteEnding(call, ending);
    return conclusion;
  } finally {
    forget();
    report.discard();
    progress.stop();
    await session.close();
  }
}

function sessionSettings(call: Call): SessionOfRuns {
  const { sources, unresolved, runs } = settingsOf(call);
  const selection = selectionOf(call);
  const keeps = selection.only === null && selection.sinceMs === null;
  return {
    runs: call.args[0] ?? runs,
    sources,
    unresolved,
    selection,
    jobs: call.options.count('jobs') ?? call.world.cores,
    version: manifest.version,
    cache: cacheOf(call, keeps),
    tar: tarOf(call),
    seal: call.options.text('seal') ?? null,
    previous: driftOptions(call).previous,
    now: timestampOf(systemClock().nowNs()),
  };
}

/** A tar stream is read once more for every question, so that what asks for single files is refused beside it. */
function tarOf(call: Call): SessionOfRuns['tar'] {
  const file = call.options.text('tar');
  if (file === undefined) return null;
  for (const other of ['cache', 'seal'])
    if (call.options.text(other) !== undefined)
      throw usage(`--${other} is given with --tar`, 'unpack the archive to use it');
  return { file, root: call.args[0] ?? null };
}

/** `--no-cache` beside `--cache` leaves the cache alone, so that one call can be compared with the other. */
function cacheOf(call: Call, keeps: boolean): SessionOfRuns['cache'] {
  const path = call.options.text('cache');
  const variable = call.options.text('cache-key');
  if (variable !== undefined && path === undefined)
    throw usage('--cache-key is given without --cache', 'name the cache');
  const key = variable === undefined ? null : call.world.env[variable];
  if (key === undefined || key === '')
    throw usage(`the variable ${variable} of --cache-key is unset`, 'set it to a secret');
  return path === undefined || call.world.args.includes('--no-cache')
    ? null
    : { path, folder: call.world.cwd, key, keeps };
}

/** By what this call judges, so that shards of two calls are not merged into one report. */
function callOf(call: Call, { version, unresolved, sources }: SessionOfRuns): ShardCall {
  const file = realPathOf(sources.sourcesPath);
  return {
    version,
    unresolved,
    only: call.options.text('only') ?? null,
    since: call.options.text('since') ?? null,
    sources: (file === null ? undefined : digestOfFile(file)?.sha256) ?? null,
  };
}

/** A shard that goes to a file has its measure beside it, for `grounding merge`. */
function writeMeta(call: Call, meta: ShardMeta): void {
  const output = call.options.text('output');
  if (output === undefined || call.options.text('format') !== 'json') return;
  writeOutputFile({ path: metaPath(output), folder: call.world.cwd }, composeMeta(meta));
}

/** An index line that names no run is reported and ignored (contract 10). */
async function noteEnding(call: Call, { badLines, refusedMemories }: Ending): Promise<void> {
  for (const { line, reason } of badLines.first)
    await note(call, `invocations.jsonl:${line}: ignored, since it cannot be read: ${oneLine(reason)}`);
  const more = badLines.count - badLines.first.length;
  if (more > 0) await note(call, `invocations.jsonl: ${more} more lines were ignored`);
  if (refusedMemories > 0) await note(call, `the cache holds ${refusedMemories} lines that are not to be trusted`);
}
