import {
  type Annotation,
  annotationsOf,
  type Budget,
  CHECK_BUDGET,
  COMMENT_BUDGET,
  type Comparison,
  type GateReport,
  type Marker,
  MOST_ANNOTATIONS,
  renderJunit,
  renderMarkdown,
  renderReportJson,
  renderSarif,
  type Span,
  SUMMARY_BUDGET,
} from '../core/index.js';
import { REPORT_FILE } from './baseline.js';
import type { Job } from './job.js';

/** A verdict with everything that its texts are made of. */
export interface Verdict {
  /** Findings are placed, levels are final, and no known secret is left in it. */
  readonly report: GateReport;
  readonly comparison: Comparison;
  /** By invocation id. */
  readonly traces: ReadonlyMap<string, readonly Span[]>;
}

/** Room that is kept in the summary for what could not be told elsewhere, in bytes. */
const NOTES_BYTES = 8_192;

/** Says which commit and run a comment speaks of, since it stays when others come; all of it is GitHub's own. */
export function originLine(job: Job, artifactId: string | null): string {
  const { context, trigger } = job;
  const { serverUrl, owner, repo, runId, attempt } = context;
  const all = `${serverUrl}/${owner}/${repo}/actions/runs/${runId}/artifacts/${artifactId}`;
  const artifact = artifactId === null ? '' : `, and [everything in the artifact](${all})`;
  return `\n_For commit ${trigger.headSha.slice(0, 12)}, by [run ${runId}, attempt ${attempt}](${runUrl(job)})${artifact}._\n`;
}

/** The page of the workflow's run. */
export function runUrl({ context }: Job): string {
  const { serverUrl, owner, repo, runId, attempt } = context;
  return `${serverUrl}/${owner}/${repo}/actions/runs/${runId}/attempts/${attempt}`;
}

/** The texts of a verdict. */
export class Texts {
  readonly #verdict: Verdict;
  readonly #job: Job;

  constructor(verdict: Verdict, job: Job) {
    this.#verdict = verdict;
    this.#job = job;
  }

  /** Files for the report folder and the artifact, by name. */
  files(): ReadonlyMap<string, string> {
    const { inputs } = this.#job;
    const { report } = this.#verdict;
    return new Map([
      [REPORT_FILE, renderReportJson(report)],
      ['report.md', this.summary()],
      ...(inputs.sarif ? [['results.sarif', this.sarif()] as const] : []),
      ...(inputs.junit ? [['junit.xml', renderJunit(report)] as const] : []),
    ]);
  }

  sarif(): string {
    return renderSarif(this.#verdict.report);
  }

  summary(): string {
    return this.#markdown({ ...SUMMARY_BUDGET, limit: SUMMARY_BUDGET.limit - NOTES_BYTES });
  }

  comment(marker: Marker, artifactId: string | null): string {
    return this.#markdown(COMMENT_BUDGET, marker) + originLine(this.#job, artifactId);
  }

  /** Says how many of its annotations a check shows when it does not show all of them. */
  checkSummary(): string {
    const { of } = this.annotations();
    if (of <= MOST_ANNOTATIONS) return this.#markdown(CHECK_BUDGET);
    const note = `_${MOST_ANNOTATIONS} of ${of} annotations are shown on the files._\n\n`;
    return note + this.#markdown({ ...CHECK_BUDGET, limit: CHECK_BUDGET.limit - Buffer.byteLength(note) });
  }

  /** Our own words and counts only: it is a line of its own everywhere. */
  checkTitle(): string {
    const { conclusion, findings, subjects } = this.#verdict.report;
    const errors = findings.filter(({ level }) => level === 'error').length;
    const runs = `${subjects.length} ${subjects.length === 1 ? 'run' : 'runs'}`;
    if (conclusion === 'passed') return subjects.length === 0 ? 'nothing to judge' : `${runs} in order`;
    return `${errors} ${errors === 1 ? 'fault' : 'faults'} in ${runs}`;
  }

  annotations(): { readonly annotations: readonly Annotation[]; readonly of: number } {
    return annotationsOf(this.#verdict.report.findings);
  }

  #markdown(budget: Budget, marker?: Marker): string {
    const { report, comparison, traces } = this.#verdict;
    const name = this.#job.inputs.checkName;
    return renderMarkdown(report, { budget, name, comparison, traces, ...(marker === undefined ? {} : { marker }) });
  }
}
