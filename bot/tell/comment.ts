import { keepComment, ownMarkers } from '../../core/index.js';
import type { GroundingConfig } from '../config/grounding-config.js';
import type { OpenRepository } from '../github/repository.js';
import type { JobContext } from '../jobs.js';
import { CHECK_NAME, commentText, type Settled } from './texts.js';

/** What a comment is kept by. */
export interface CommentDesk {
  readonly repository: OpenRepository;
  readonly pull: number;
  readonly headSha: string;
  readonly mode: GroundingConfig['comment'];
  readonly context: Pick<JobContext, 'app' | 'log'>;
}

/** Keeps the one comment of a pull request; where nobody asked for one, an older one of ours is still brought up to date. */
export async function tellComment(desk: CommentDesk, outcome: Settled): Promise<void> {
  const { repository, pull, headSha, mode, context } = desk;
  if (mode === 'never') return;
  const { slug } = await context.app();
  // The app writes about a pull request one job at a time, so that neither run nor attempt has to say which word is the last.
  const marker = { checkName: CHECK_NAME, headSha, runId: '0', attempt: 0 };
  const result = await keepComment(repository.api, {
    repository: repository.repository,
    author: { login: `${slug}[bot]` },
    number: pull,
    marker,
    body: commentText(outcome, marker),
    create: isWorthOne(outcome, mode),
    order: 'last-word',
  });
  if (result.kind === 'refused')
    context.log.warn('GitHub refuses the comment; the app needs the permission pull-requests: write', {
      status: result.status ?? 0,
    });
}

/** Whether the comment, if there is one, speaks of this head: after a push back to an old commit it speaks of the one between. */
export async function speaksOf({ repository, pull, headSha, context }: Omit<CommentDesk, 'mode'>): Promise<boolean> {
  const { slug } = await context.app();
  const about = { repository: repository.repository, number: pull, checkName: CHECK_NAME, login: `${slug}[bot]` };
  const markers = await ownMarkers(repository.api, about);
  return 'kind' in markers || markers.every((marker) => marker.headSha === headSha);
}

function isWorthOne(outcome: Settled, mode: GroundingConfig['comment']): boolean {
  switch (outcome.kind) {
    case 'nothing':
      return false;
    case 'judged':
      return mode === 'always' || outcome.report.conclusion !== 'passed';
    default:
      return true;
  }
}
