import { callPages } from '../../core/index.js';
import {
  type Answer,
  explainAnswer,
  helpAnswer,
  NOT_ALLOWED,
  NOT_CONFIGURED,
  NOT_UNDERSTOOD,
} from '../commands/answers.js';
import { type Command, parseCommand } from '../commands/parse-command.js';
import { apiOf, ask, need } from '../github/api.js';
import { readPull } from '../github/pulls.js';
import { type OpenRepository, openRepository } from '../github/repository.js';
import type { JobContext, JudgeJob } from '../jobs.js';
import { openCheckOn } from './judge-pull.js';
import { configOf, refOf } from './standing.js';

type CommandJob = Extract<JudgeJob, { kind: 'command' }>;

/** What is answered to which comment. */
interface Asked {
  readonly job: CommandJob;
  readonly repository: OpenRepository;
  readonly context: JobContext;
}

const MAY_WRITE: ReadonlySet<string> = new Set(['admin', 'write']);
/** Comments of one pull request that are looked through for an answer that was given already. */
const MOST_COMMENTS = 5_000;

/** Obeys or refuses a comment. Its words are read again, since the job may be late; who may ask is asked of GitHub, never of the payload. */
export async function obey(job: CommandJob, { context }: { readonly context: JobContext }): Promise<void> {
  const repository = await openRepository(apiOf(context), job.repository);
  if (repository === null) return;
  const route = 'GET /issues/comments/{comment_id}';
  const found = await ask(repository, { route, parameters: { comment_id: job.comment } });
  if (found.kind === 'refused') return;
  const author = found.data.present('user');
  const login = author?.get('login')?.string();
  if (login === undefined || author?.get('type')?.string() === 'Bot') return;
  const command = parseCommand(found.data.get('body')?.string() ?? '');
  if (command === null) return;
  const asked = { job, repository, context };
  const answer = (await mayWrite(repository, login)) ? await carryOut(command, asked) : NOT_ALLOWED;
  await react(asked, answer);
  if (answer.text !== null) await reply(asked, answer.text);
}

/** `author_association` says that somebody belongs to the organisation, and not that they may write here. */
async function mayWrite(repository: OpenRepository, login: string): Promise<boolean> {
  const route = 'GET /collaborators/{username}/permission';
  const found = await ask(repository, { route, parameters: { username: login } });
  return found.kind === 'ok' && MAY_WRITE.has(found.data.get('permission')?.string() ?? '');
}

async function carryOut(command: Command, asked: Asked): Promise<Answer> {
  const { repository, context } = asked;
  switch (command.kind) {
    case 'unknown':
      return NOT_UNDERSTOOD;
    case 'explain':
      return explainAnswer(command.topic);
    case 'help':
      return helpAnswer((await configOf(repository, context)).kind !== 'none');
    case 'recheck':
      return recheck(asked);
  }
}

/** An open check run says that the last verdict does not stand any more, and makes the judge look at everything again. */
async function recheck({ job, repository, context }: Asked): Promise<Answer> {
  if ((await configOf(repository, context)).kind === 'none') return NOT_CONFIGURED;
  const pull = await readPull(repository, job.pull);
  if (pull?.isOpen !== true) return { reaction: 'confused', text: 'This pull request is not open.' };
  await openCheckOn({ repository, headSha: pull.headSha, context });
  const { installation } = job;
  await context.add({ kind: 'judge', installation, repository: refOf(repository), pull: job.pull, why: 'recheck' });
  return { reaction: '+1', text: null };
}

async function react({ job, repository, context }: Asked, { reaction }: Answer): Promise<void> {
  const route = 'POST /issues/comments/{comment_id}/reactions';
  const done = await ask(repository, { route, parameters: { comment_id: job.comment, content: reaction } });
  if (done.kind === 'refused') context.log.warn('GitHub refuses the reaction', { status: done.status ?? 0 });
}

/** Once for a comment, however often the job is done. */
async function reply({ job, repository, context }: Asked, text: string): Promise<void> {
  const { slug } = await context.app();
  const marker = `<!-- grounding-gate:v1 answer=${job.comment} -->`;
  const listed = await callPages(
    repository.api,
    {
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
      parameters: { ...repository.repository, issue_number: job.pull },
    },
    { most: MOST_COMMENTS },
  );
  if (listed.kind === 'refused') throw new Error(listed.reason);
  const answered = listed.items.some(
    (one) =>
      one.present('user')?.get('login')?.string() === `${slug}[bot]` &&
      one.get('body')?.string()?.startsWith(marker) === true,
  );
  if (answered) return;
  await need(repository, {
    route: 'POST /issues/{issue_number}/comments',
    parameters: { issue_number: job.pull, body: `${marker}\n${text}` },
  });
}
