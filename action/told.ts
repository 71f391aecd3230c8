import {
  type Annotation,
  annotationsOf,
  type Budget,
  COMMENT_BUDGET,
  type Comparison,
  checkSummary,
  checkTitle,
  type GateReport,
  type Marker,
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

  checkSummary(): string {
    const { report, comparison, traces } = this.#verdict;
    return checkSummary(report, { name: this.#job.inputs.checkName, comparison, traces });
  }

  checkTitle(): string {
    return checkTitle(this.#verdict.report);
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
