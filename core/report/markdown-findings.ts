import type { Comparison } from './compare.js';
import type { Finding } from './finding.js';
import type { Section } from './fit-sections.js';
import { code } from './markdown-text.js';

/** The faults, then the warnings, each grouped by rule with its title and how to mend it. */
export function findingSections(findings: readonly Finding[], comparison: Comparison | undefined): readonly Section[] {
  const fresh = comparison?.kind === 'compared' ? new Set(comparison.new) : null;
  const section = (level: Finding['level'], layout: Pick<Section, 'head' | 'what' | 'priority' | 'share'>): Section => {
    const all = findings.filter((finding) => finding.level === level);
    return { ...layout, items: itemsOf(all.slice(0, MOST_ITEMS), fresh), of: all.length, separator: '\n' };
  };
  return [
    section('error', { head: '### Faults', what: 'faults', priority: 1, share: 0.6 }),
    section('warning', { head: '### Warnings', what: 'warnings', priority: 3, share: 0.3 }),
    expectedSection(findings),
  ];
}

/** More lines than the largest budget lets in. */
const MOST_ITEMS = 10_000;

/** A rule's heading belongs to its first finding, so that a list can be cut after any of them. */
function itemsOf(findings: readonly Finding[], fresh: ReadonlySet<Finding> | null): readonly string[] {
  return findings.map((finding, at) => {
    const begins = findings[at - 1]?.rule !== finding.rule;
    const head = `${at === 0 ? '' : '\n'}**${finding.rule}**: ${finding.title}\n\n_How to mend it:_ ${finding.mend}\n\n`;
    return `${begins ? head : ''}${findingLine(finding, fresh)}`;
  });
}

function findingLine(finding: Finding, fresh: ReadonlySet<Finding> | null): string {
  const badge = fresh?.has(finding) ? '**new** ' : '';
  return `- ${badge}${placeText(finding)}: ${code(finding.message)}`;
}

function placeText({ place }: Finding): string {
  const { file, line, column } = place;
  return code([file, line, column].filter((part) => part !== null).join(':'));
}

function expectedSection(findings: readonly Finding[]): Section {
  const count = findings.filter(({ level }) => level === 'note').length;
  const text = `_${count} more ${count === 1 ? 'violation is' : 'violations are'} expected by a fixture or of a withheld run, and listed in report.json alone._`;
  return { head: '', items: count === 0 ? [] : [text], separator: '\n', what: 'notes', priority: 4, share: 0.1 };
}
