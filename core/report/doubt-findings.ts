import type { Doubt, GroundingReport } from '../model/report.js';
import type { Finding, FindingPlace } from './finding.js';
import { makeFinding } from './make-finding.js';

/** What breaks no rule and should be looked at all the same, as warnings. */
export function doubtFindings(
  { doubts = [] }: Pick<GroundingReport, 'doubts'>,
  { placeOf, ...told }: Pick<Finding, 'run' | 'fixture'> & { readonly placeOf: (doubt: Doubt) => FindingPlace },
): readonly Finding[] {
  return doubts.map((doubt) =>
    makeFinding({
      rule: 'doubtful',
      level: 'warning',
      message: doubt.message,
      place: placeOf(doubt),
      pointer: doubt.pointer ?? null,
      spanId: doubt.spanId ?? null,
      ...told,
    }),
  );
}
