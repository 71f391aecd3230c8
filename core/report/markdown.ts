import { MODE_PAGES } from '../lint/mode-pages.js';
import type { Comparison } from './compare.js';
import { type Budget, fitSections, type Section } from './fit-sections.js';
import type { TimedSpan } from './gantt.js';
import { type GateReport, verdictOf } from './gate-report.js';
import { changeSections } from './markdown-changes.js';
import { derivationSection, textSection, timelineSection } from './markdown-details.js';
import { findingSections } from './markdown-findings.js';
import { runTable } from './markdown-table.js';
import { code } from './markdown-text.js';
import { type Marker, markerLine } from './marker.js';

/** Characters of a comment's body. GitHub takes 65,536; some room is left for what counts more than once. */
export const COMMENT_BUDGET: Budget = { unit: 'characters', limit: 65_000 };

/** Bytes of a check run's summary or text, which GitHub refuses past 65,535. */
export const CHECK_BUDGET: Budget = { unit: 'bytes', limit: 65_535 };

/** Bytes of a step's summary: GitHub drops one of more than 1 MiB whole. */
export const SUMMARY_BUDGET: Budget = { unit: 'bytes', limit: 1_048_576 };

/** What a Markdown report is made with besides the report. */
export interface MarkdownOptions {
  readonly budget: Budget;
  /** The heading; the name of the check where there is one. */
  readonly name?: string;
  /** Hidden in the first line, for a comment that is to be found again. */
  readonly marker?: Marker;
  /** Left out where nothing was compared. */
  readonly comparison?: Comparison;
  /** By invocation id; runs that failed are drawn. */
  readonly traces?: ReadonlyMap<string, readonly TimedSpan[]>;
}

/**
 * The report as GitHub-flavoured Markdown: the job summary, the comment and the check all show this. Whatever a model or a
 * pull request wrote stands in code spans, fences or escaped HTML, where nothing of it takes effect.
 */
export function renderMarkdown(report: GateReport, options: MarkdownOptions): string {
  const { marker, comparison, budget, traces = new Map() } = options;
  const sections: readonly Section[] = [
    ...(marker === undefined ? [] : [fixed(markerLine(marker))]),
    fixed([headline(report, options.name), summaryLine(report), ...comparisonLine(comparison)].join('\n\n')),
    noticeSection(report.notices),
    ...findingSections(report.findings, comparison),
    runTable(report),
    ...changeSections(comparison),
    textSection(report),
    timelineSection(report, traces),
    derivationSection(report),
    fixed(footer(report)),
  ];
  return `${fitSections(sections, budget).trimEnd()}\n`;
}

/** What no budget may take away. */
function fixed(text: string): Section {
  return { head: '', items: [text], separator: '\n', what: 'parts', priority: 0, share: 1 };
}

const VERDICTS = {
  passed: '✅ passed',
  failed: '❌ failed',
  refused: '❌ no verdict',
} as const satisfies Record<GateReport['conclusion'], string>;

function headline(report: GateReport, name: string | undefined): string {
  const { conclusion, command, subjects } = report;
  const verdict = conclusion === 'passed' && subjects.length === 0 ? NOTHING : VERDICTS[conclusion];
  return `## ${name === undefined ? `grounding ${command}` : code(name)}: ${verdict}`;
}

/** Nothing that could be judged was there: no pass, and nothing that failed. */
const NOTHING = '➖ nothing to judge';

function summaryLine(report: GateReport): string {
  const { subjects, findings, policyBundleRef } = report;
  const count = (what: 'good' | 'bad' | 'doubtful'): number =>
    subjects.filter(({ state }) => verdictOf(state) === what).length;
  const levels = (level: 'error' | 'warning'): number => findings.filter((one) => one.level === level).length;
  const parts = [
    `**${plural(subjects.length, 'run')}**: ${count('good')} in order`,
    ...(count('bad') > 0 ? [`${count('bad')} not in order`] : []),
    ...(count('doubtful') > 0 ? [`${count('doubtful')} withheld or not judged`] : []),
    plural(levels('error'), 'fault'),
    ...(levels('warning') > 0 ? [plural(levels('warning'), 'warning')] : []),
  ];
  const profile = policyBundleRef === null ? '' : ` Profile ${code(policyBundleRef)}.`;
  return `${parts.join(', ')}.${profile}${replayedText(subjects)}`;
}

/** A reader must not take a replay for a run of the agents as they are now. */
function replayedText(subjects: GateReport['subjects']): string {
  const count = subjects.filter(({ replayed }) => replayed).length;
  return count === 0 ? '' : ` **Replayed**: ${plural(count, 'run')} judged again from recordings, no agent was called.`;
}

function comparisonLine(comparison: Comparison | undefined): readonly string[] {
  if (comparison === undefined) return [];
  if (comparison.kind === 'no-baseline') return [`**No baseline**: ${code(comparison.reason)}`];
  const { new: fresh, fixed: gone, unchanged } = comparison;
  return [`**Against the baseline**: ${fresh.length} new, ${gone.length} fixed, ${unchanged.length} unchanged.`];
}

function noticeSection(notices: readonly string[]): Section {
  const items = notices.map((notice) => `- ${code(notice)}`);
  return { head: '**Notes**', items, separator: '\n', what: 'notes', priority: 1, share: 0.1 };
}

/** What a pass does not show, for the modes that the report speaks of. */
function footer({ subjects, command }: GateReport): string {
  const modes = new Set(subjects.map(({ mode, grounding }) => mode ?? grounding?.mode ?? null));
  const lines = MODE_PAGES.filter(({ mode }) => modes.has(mode)).map(
    ({ mode, showsNot }) => `- \`${mode}\`: ${showsNot}`,
  );
  const sources = command === 'lint' ? [] : [SOURCES_LINE];
  return ['---', '**What a pass does not show**', [...lines, ...sources, TRUTH_LINE].join('\n')].join('\n\n');
}

const SOURCES_LINE =
  '- The source check compares with pinned copies: it says nothing of evidence that no copy covers, nor whether a copy is still what the source says today.';
const TRUTH_LINE = '- In no mode does a pass show that an answer is true, complete or useful.';

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
