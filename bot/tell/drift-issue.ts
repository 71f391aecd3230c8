import {
  COMMENT_BUDGET,
  callPages,
  DRIFT_LABEL,
  DRIFT_MARKER,
  type GateReport,
  type JsonNode,
  renderMarkdown,
} from '../../core/index.js';
import { ask } from '../github/api.js';
import type { OpenRepository } from '../github/repository.js';
import type { JobContext } from '../jobs.js';

/** Open issues with the label that are looked through. */
const MOST_ISSUES = 500;
const TITLE = 'Stored runs fail their checks';

/** What the issue is kept by. */
export interface DriftDesk {
  readonly repository: OpenRepository;
  readonly context: Pick<JobContext, 'app' | 'log'>;
}

/** An open issue about stored runs. */
interface DriftIssue {
  readonly number: number;
  readonly body: string;
  readonly isOurs: boolean;
}

/**
 * Keeps one issue about stored runs that fail: opens it, brings it up to date, closes it when they are healed. The reusable workflow may do
 * the same; where its issue is open, nothing is written. What a person opened is nobody's, whatever it says.
 */
export async function keepDriftIssue(desk: DriftDesk, report: GateReport): Promise<void> {
  const { log } = desk.context;
  const issues = await driftIssues(desk);
  if (issues === null) return;
  if (issues.some(({ isOurs }) => !isOurs))
    return log.info('another app keeps the issue about stored runs, which stays as it is');
  const [own] = issues;
  const healed = report.conclusion === 'passed';
  if (healed && own === undefined) return;
  const write = healed ? closed(own) : told(own, report);
  if (write === null) return;
  const done = await ask(desk.repository, write);
  if (done.kind === 'refused')
    log.warn('GitHub refuses the issue; the app needs the permission issues: write', { status: done.status ?? 0 });
}

type Write = Parameters<typeof ask>[1];

function closed(own: DriftIssue | undefined): Write | null {
  if (own === undefined) return null;
  const parameters = { issue_number: own.number, state: 'closed', state_reason: 'completed' };
  return { route: 'PATCH /issues/{issue_number}', parameters };
}

function told(own: DriftIssue | undefined, report: GateReport): Write | null {
  const text = renderMarkdown(report, { budget: COMMENT_BUDGET, name: TITLE });
  const body = `${DRIFT_MARKER}\n\n${text}`;
  if (own === undefined) return { route: 'POST /issues', parameters: { title: TITLE, labels: [DRIFT_LABEL], body } };
  if (own.body.trim() === body.trim()) return null;
  return { route: 'PATCH /issues/{issue_number}', parameters: { issue_number: own.number, body } };
}

/** The oldest first; null when GitHub does not show them. */
async function driftIssues({ repository, context }: DriftDesk): Promise<readonly DriftIssue[] | null> {
  const { slug } = await context.app();
  const listed = await callPages(
    repository.api,
    {
      route: 'GET /repos/{owner}/{repo}/issues',
      parameters: { ...repository.repository, state: 'open', labels: DRIFT_LABEL, direction: 'asc' },
    },
    { most: MOST_ISSUES },
  );
  if (listed.kind === 'refused') {
    context.log.warn('GitHub shows no issues; the app needs the permission issues: write', {
      status: listed.status ?? 0,
    });
    return null;
  }
  return listed.items.flatMap((issue) => driftIssueOf(issue, `${slug}[bot]`) ?? []);
}

function driftIssueOf(issue: JsonNode, login: string): DriftIssue | null {
  const [number, body, user] = [
    issue.get('number')?.integer(),
    issue.present('body')?.string() ?? '',
    issue.present('user'),
  ];
  const isMarked = body.split(/\r?\n/, 1)[0] === DRIFT_MARKER;
  if (number === undefined || !isMarked || user?.get('type')?.string() !== 'Bot') return null;
  return { number, body, isOurs: user.get('login')?.string() === login };
}
