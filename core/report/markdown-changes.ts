import type { Comparison, EarlierFinding } from './compare.js';
import type { Finding } from './finding.js';
import type { Section } from './fit-sections.js';
import { code } from './markdown-text.js';

/** What changed since the baseline, finding by finding; what stayed is counted, since it is listed as a fault already. */
export function changeSections(comparison: Comparison | undefined): readonly Section[] {
  if (comparison?.kind !== 'compared') return [];
  const items = [
    ...comparison.new.map((finding) => lineOf('new', finding)),
    ...comparison.fixed.map((finding) => lineOf('fixed', finding)),
    ...(comparison.unchanged.length > 0 ? [`- ▪️ unchanged: ${comparison.unchanged.length}`] : []),
  ];
  return [{ head: '### Changes since the baseline', items, separator: '\n', what: 'changes', priority: 5, share: 0.3 }];
}

const MARKS = { new: '🆕', fixed: '✅' } as const;

/** Even the rule is untrusted here: an earlier report is whatever the artifact holds. */
function lineOf(change: keyof typeof MARKS, finding: Finding | EarlierFinding): string {
  const where = finding.fixture ?? finding.run;
  const place = where === null ? '' : ` ${code(where)}`;
  return `- ${MARKS[change]} ${change}: ${code(finding.rule)}${place}: ${code(finding.message)}`;
}
