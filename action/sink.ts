import { messageOf, oneLine, type Refused } from '../core/index.js';

/** What could not be told somewhere, a line each; it changes no verdict and stands in the log and in the summary. */
export interface SinkNotes {
  add(line: string): void;
  readonly lines: readonly string[];
}

/** Notes that say each thing once. */
export function sinkNotes(tell: (line: string) => void): SinkNotes {
  const lines: string[] = [];
  return {
    lines,
    add(line) {
      if (lines.includes(line)) return;
      lines.push(line);
      tell(line);
    },
  };
}

/** Does the work of a sink, which decides nothing: what it throws is told, and null is given then. */
export async function undecided<Result>(
  notes: SinkNotes,
  { name, work }: { readonly name: string; readonly work: () => Promise<Result> },
): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    notes.add(`${name}: it failed (${oneLine(messageOf(error))})`);
    return null;
  }
}

/** One line on a sink that GitHub refused, with the permission that is missing when it may be that. */
export function refusalNote(
  sink: string,
  { refused, permission }: { readonly refused: Refused; readonly permission: string },
): string {
  const missing = refused.status === 403 || refused.status === 404 || refused.status === 401;
  // Tokens of forks and of Dependabot may only read, whatever the workflow asks for.
  const hint = missing
    ? `; it needs the permission ${permission}, which a pull request of a fork or of Dependabot does not get`
    : '';
  return `${sink}: ${refused.reason}${hint}`;
}
