import { systemClock } from '../io/clock.js';
import { fileLines } from '../io/file-lines.js';
import type { Conclusion } from '../report/conclusion.js';
import { Drift, readPrevious } from '../reverify/drift.js';
import { mergeShards, refuseShards } from '../reverify/merge.js';
import { openShards } from '../runner/merge-shards.js';
import { timestampOf } from '../trace/timestamp.js';
import { beginReport } from './archive-report.js';
import type { Call } from './command.js';
import { driftOptions } from './drift-options.js';
import { settingsOf } from './settings.js';

/** `grounding merge FILE…`: one report of the reports of all shards, or none. */
export async function execute(call: Call): Promise<Conclusion> {
  const { previous, failOn } = driftOptions(call);
  const shards = openShards(call.args);
  refuseShards(shards);
  const now = timestampOf(systemClock().nowNs());
  const drift = previous === null ? null : new Drift(await readPrevious(fileLines(previous), previous), now);
  const report = beginReport(call, settingsOf(call).runs);
  try {
    for await (const { verdict, note } of mergeShards(shards))
      await report.add([{ verdict, fromCache: false, drift: drift?.note(verdict) ?? note }]);
    const { conclusion } = await report.end(drift?.summary(() => true) ?? null, failOn);
    return conclusion;
  } finally {
    report.discard();
  }
}
