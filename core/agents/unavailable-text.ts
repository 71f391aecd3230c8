import { oneLine } from '../model/errors.js';
import type { UnavailableAgent } from './agent.js';

/** Why an agent cannot be reached, on one line, with the end of its log; for the operator, never for a caller of the network. */
export function unavailableText({ label, reason, log }: UnavailableAgent): string {
  const said = `${label}: ${reason}`;
  if (log === undefined) return oneLine(said);
  if (log.lines.length === 0) return oneLine(`${said}; it printed nothing to ${log.file}`);
  const lines = log.lines.map((line) => JSON.stringify(line.slice(0, LINE_LENGTH)));
  return oneLine(`${said}; its log ${log.file} ends with ${lines.join(', ')}`);
}

/** UTF-16 units of a line that are shown; the file has the rest. */
const LINE_LENGTH = 200;
