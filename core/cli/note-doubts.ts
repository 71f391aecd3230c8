import type { GroundingReport } from '../model/report.js';
import type { Call } from './command.js';
import { note } from './note.js';

/** Doubts that are told one by one; the others are counted. */
const LISTED = 10;

/** Says on standard error what breaks no rule and should be looked at all the same. */
export async function noteDoubts(call: Call, { doubts = [] }: GroundingReport): Promise<void> {
  for (const { message } of doubts.slice(0, LISTED)) await note(call, `no rule forbids it, but look: ${message}`);
  if (doubts.length > LISTED)
    await note(call, `and ${doubts.length - LISTED} more to look at: --format json lists them`);
}
