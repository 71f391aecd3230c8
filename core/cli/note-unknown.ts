import type { GroundingReport } from '../model/report.js';
import type { Call } from './command.js';
import { note } from './note.js';

/** Names that a note lists. */
const LISTED = 10;

/** Says on standard error which spans no dialect knows, in a mode where only what is known is allowed; they break nothing. */
export async function noteUnknown(call: Call, { unknown = [] }: GroundingReport): Promise<void> {
  if (unknown.length === 0) return;
  const names = unknown.slice(0, LISTED).map(({ name, count }) => `${JSON.stringify(name.slice(0, 60))} (${count})`);
  const more = unknown.length > LISTED ? [`and ${unknown.length - LISTED} other names`] : [];
  await note(call, `spans that no dialect knows, which grounding trace shows: ${[...names, ...more].join(', ')}`);
}
