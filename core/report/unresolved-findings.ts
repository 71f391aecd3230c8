import type { SourcesReport, UnresolvedPolicy } from '../model/report.js';
import type { Finding } from './finding.js';
import { makeFinding } from './make-finding.js';
import { unresolvedText } from './verdict-json.js';

/** What no pinned copy covers as findings, one for each source however often it is cited; none under `allow`. */
export function unresolvedFindings(
  sources: Pick<SourcesReport, 'unresolved'>,
  told: Pick<Finding, 'place' | 'fixture' | 'run'> & { readonly policy: UnresolvedPolicy },
): readonly Finding[] {
  const { policy, ...where } = told;
  if (policy === 'allow') return [];
  const items = new Map(sources.unresolved.map((item) => [unresolvedText(item), item]));
  const level = policy === 'fail' ? 'error' : 'warning';
  return [...items].map(([message, { sourceId }]) =>
    makeFinding({ rule: 'unresolved', level, message, sourceId, ...where }),
  );
}
