import type { RepairReport } from './repair.js';

/** Names listed in one notice; the rest is counted. */
const MOST_NAMES = 5;

/** One line for each thing that the repair did to runs or left for a person to mend; none when the folder was sound. */
export function repairNotices({ ending, ...report }: RepairReport): readonly string[] {
  return [
    ...(ending.kind === 'cut'
      ? [`runs: cut off the half line that a killed process left (${ending.bytes} bytes)`]
      : []),
    ...(ending.kind === 'completed' ? ['runs: ended the last index line, which lacked its line feed'] : []),
    ...notice('runs: listed whole runs that had no index line', report.linesAdded),
    ...notice(
      'runs: index lines cannot be read and were kept; see lines',
      report.unreadableLines.map((line) => String(line)),
    ),
    ...notice('runs: indexed runs have no folder; restore them from an archive', report.withoutFolder),
    ...notice(
      'runs: entries named like a run are not whole and were left alone',
      report.incomplete.map(({ run, reason }) => `${run} (${reason})`),
    ),
  ];
}

function notice(text: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return [`${text}: ${names.slice(0, MOST_NAMES).join(', ')}${more}`];
}
