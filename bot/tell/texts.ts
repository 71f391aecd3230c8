import {
  type Annotation,
  annotationsOf,
  type CheckConclusion,
  COMMENT_BUDGET,
  checkSummary,
  checkTitle,
  fenced,
  type Marker,
  markerLine,
  renderMarkdown,
} from '../../core/index.js';
import type { Outcome } from '../judge/outcome.js';

/** The check that branch protection may require from this app. */
export const CHECK_NAME = 'grounding/verified';

/** What a check run shows once an outcome is known. */
export interface CheckText {
  readonly conclusion: CheckConclusion;
  readonly title: string;
  readonly summary: string;
  readonly annotations: readonly Annotation[];
}

/** An outcome that a check can be concluded with. */
export type Settled = Exclude<Outcome, { kind: 'awaited' }>;

/** The check of an outcome; what is judged is told as the Action tells it. */
export function checkText(outcome: Settled): CheckText {
  switch (outcome.kind) {
    case 'judged': {
      const { report, traces } = outcome;
      return {
        conclusion: report.conclusion === 'passed' ? 'success' : 'failure',
        title: checkTitle(report),
        summary: checkSummary(report, { name: CHECK_NAME, traces }),
        annotations: annotationsOf(report.findings).annotations,
      };
    }
    case 'nothing':
      return plain('success', 'nothing to judge', 'No file that has to be judged differs from the base.');
    case 'missing':
      return plain('action_required', 'evidence is missing', missingText(outcome));
    case 'refused':
      return plain('failure', 'no verdict', refusedText(outcome.reason));
  }
}

function plain(conclusion: CheckConclusion, title: string, summary: string): CheckText {
  return { conclusion, title, summary, annotations: [] };
}

/** What stands in a check that waits. */
export function awaitedText(what: string): { readonly title: string; readonly summary: string } {
  return { title: 'waiting for evidence', summary: `Waiting for:\n\n${fenced(what)}\n` };
}

/** The body of the comment, its marker in the first line. */
export function commentText(outcome: Settled, marker: Marker): string {
  const origin = `\n_For commit ${marker.headSha.slice(0, 12)}._\n`;
  if (outcome.kind === 'judged') {
    const { report, traces } = outcome;
    return renderMarkdown(report, { budget: COMMENT_BUDGET, name: CHECK_NAME, traces, marker }) + origin;
  }
  const { title, summary } = checkText(outcome);
  return `${markerLine(marker)}\n\n## \`${CHECK_NAME}\`: ${title}\n\n${summary}\n${origin}`;
}

function missingText({ what, remedy }: { readonly what: string; readonly remedy: string }): string {
  return `There is nothing to judge this change by:\n\n${fenced(what)}\n\nWhat to do:\n\n${fenced(remedy)}\n`;
}

function refusedText(reason: string): string {
  return `The configuration was refused, or something failed before a verdict:\n\n${fenced(reason)}\n`;
}
