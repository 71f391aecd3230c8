import { oneLine } from '../model/errors.js';
import type { Subject } from './gate-report.js';

/**
 * How a run ended in its own words; nothing for a withheld one, whose statement repeats its violations. A mark stands in
 * front of each line, since a workflow's log takes commands at the start of one.
 */
export function outcomeText({ outcome }: Pick<Subject, 'outcome'>): readonly string[] {
  if (outcome === null || outcome.problem === 'grounding-violation') return [];
  const why = outcome.problem ?? outcome.reasonCode;
  const head = `outcome: ${outcome.status}${why === null ? '' : ` (${why})`}`;
  return [
    `${head}\n${outcome.statement
      .split('\n')
      .map((line) => `  > ${oneLine(line)}\n`)
      .join('')}`,
  ];
}
