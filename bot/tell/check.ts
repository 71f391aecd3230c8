import { callPages, checkRunOf, idOf, type JsonNode, openCheck, type Refused, sha256Hex } from '../../core/index.js';
import { ask } from '../github/api.js';
import type { OpenRepository } from '../github/repository.js';
import type { BotLog, JobContext } from '../jobs.js';
import { isoOf, millisecondsOf } from '../time.js';
import { awaitedText, CHECK_NAME, type CheckText } from './texts.js';

/** The newest check run of ours on a commit. */
export interface OurCheck {
  readonly id: string;
  readonly isConcluded: boolean;
  readonly conclusion: string | null;
  /** What it was concluded from and with, as we wrote it. */
  readonly externalId: string;
  /** Milliseconds since 1970; null when GitHub does not say. */
  readonly startedAt: number | null;
}

/** What the checks of one commit are written with. */
export interface CheckDesk {
  readonly repository: OpenRepository;
  readonly headSha: string;
  readonly context: Pick<JobContext, 'app' | 'exclusive' | 'now' | 'log'>;
}

/** Alone among all instances: two pull requests of one commit share its check. */
export function aloneOn<T>({ repository, headSha, context }: CheckDesk, work: () => Promise<T>): Promise<T> {
  return context.exclusive(`check:${repository.id}:${headSha}`, work);
}

/** Our newest check run on the commit; null when there is none, or GitHub does not let us see. */
export async function ourCheck({ repository, headSha, context }: CheckDesk): Promise<OurCheck | null> {
  const { id: app } = await context.app();
  const listed = await callPages(
    repository.api,
    {
      route: 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
      parameters: { ...repository.repository, ref: headSha, check_name: CHECK_NAME, app_id: app, filter: 'latest' },
    },
    { member: 'check_runs', most: 100 },
  );
  if (listed.kind === 'refused') return null;
  const own = listed.items
    .filter((run) => run.present('app')?.get('id')?.integer() === app)
    .flatMap((run) => checkOf(run) ?? []);
  return own.sort((a, b) => Number(BigInt(b.id) - BigInt(a.id)))[0] ?? null;
}

function checkOf(run: JsonNode): OurCheck | null {
  const id = idOf(run.get('id'));
  if (id === null) return null;
  return {
    id,
    isConcluded: run.get('status')?.string() === 'completed',
    conclusion: run.present('conclusion')?.string() ?? null,
    externalId: run.present('external_id')?.string() ?? '',
    startedAt: millisecondsOf(run.present('started_at')?.string()),
  };
}

/** Opens a check run that waits, so that the commit is not green meanwhile; null when GitHub refuses it. */
export async function queueCheck(desk: CheckDesk): Promise<OurCheck | null> {
  const { repository, headSha, context } = desk;
  const startedAt = isoOf(context.now());
  const created = await openCheck(repository.api, {
    repository: repository.repository,
    name: CHECK_NAME,
    headSha,
    status: 'queued',
    externalId: null,
    detailsUrl: null,
    startedAt,
  });
  if ('kind' in created) {
    noteRefusal(context.log, created);
    return null;
  }
  return ourCheck(desk);
}

/** Says in a waiting check what is waited for. */
export async function tellWaiting(
  desk: CheckDesk,
  { check, what }: { readonly check: OurCheck; readonly what: string },
): Promise<void> {
  const { repository, context } = desk;
  const route = 'PATCH /check-runs/{check_run_id}';
  const output = awaitedText(what);
  const written = await ask(repository, { route, parameters: { check_run_id: check.id, output } });
  if (written.kind === 'refused') noteRefusal(context.log, written);
}

/** Concludes a check run: the open one, or a new one where the last says something else; what says the same stays. */
export async function concludeCheck(
  desk: CheckDesk,
  { check, text, basis }: { readonly check: OurCheck | null; readonly text: CheckText; readonly basis: string },
): Promise<void> {
  const { repository, context } = desk;
  const externalId = externalIdOf(text, basis);
  if (check?.isConcluded === true && check.externalId === externalId && check.conclusion === text.conclusion) return;
  const open = check?.isConcluded === false ? check : await queueCheck(desk);
  if (open === null) return;
  const target = { api: repository.api, repository: repository.repository, id: open.id };
  const { conclusion, title, summary, annotations } = text;
  const ending = { conclusion, output: { title, summary, text: null }, annotations, externalId };
  const refused = await checkRunOf(target).conclude(ending);
  if (refused !== null) noteRefusal(context.log, refused);
}

/** Concludes what is left open on a commit that is nobody's head any more. `neutral` would count as passing. */
export async function cancelCheck(desk: CheckDesk): Promise<void> {
  const check = await ourCheck(desk);
  if (check === null || check.isConcluded) return;
  await concludeCheck(desk, {
    check,
    basis: 'moved',
    text: {
      conclusion: 'cancelled',
      title: 'the head has moved on',
      summary: 'Another commit took the place of this one before it was judged.',
      annotations: [],
    },
  });
}

/** What a check says and from what, so that the same need not be said, or found out, again. */
function externalIdOf(text: CheckText, basis: string): string {
  return `v1:${basis}:${sha256Hex(JSON.stringify(text)).slice(0, 16)}`;
}

/** Stands for what nobody could see whole: no verdict is known to be from the same. */
export const UNKNOWN_BASIS = 'unknown';

/** Whether a concluded check was found out from the same things. */
export function isFrom({ isConcluded, externalId }: OurCheck, basis: string): boolean {
  return basis !== UNKNOWN_BASIS && isConcluded && externalId.startsWith(`v1:${basis}:`);
}

function noteRefusal(log: BotLog, { status }: Refused): void {
  log.warn('GitHub refuses the check run; the app needs the permission checks: write', { status: status ?? 0 });
}
