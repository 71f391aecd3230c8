import { type Annotation, MOST_ANNOTATIONS } from '../report/index.js';
import type { RepositoryName } from './api-files.js';
import { callPages, idOf } from './client.js';
import type { ApiResult, GitHubApi, Refused } from './ports.js';

/** GitHub takes so many annotations in one request (REST, checks). */
export const ANNOTATIONS_A_REQUEST = 50;

/** The conclusions that the doors give; `neutral` counts as passing, `cancelled` does not. */
export type CheckConclusion = 'success' | 'neutral' | 'failure' | 'cancelled' | 'timed_out' | 'action_required';

/** What a check run shows; the texts keep GitHub's limits already. */
export interface CheckOutput {
  readonly title: string;
  readonly summary: string;
  readonly text: string | null;
}

/** Which check run, on which commit. */
export interface CheckIdentity {
  readonly repository: RepositoryName;
  readonly name: string;
  readonly headSha: string;
  readonly status: 'queued' | 'in_progress';
  /** Tells it from others of the same name, as `<run>/<attempt>/<job>`; null gives it none. */
  readonly externalId: string | null;
  readonly detailsUrl: string | null;
  /** RFC 3339. */
  readonly startedAt: string;
}

/** A check run that was opened. */
export interface OpenCheck {
  /** Concludes it, the first annotations with it; then adds the rest. The first refusal is returned, the check concluded or not. */
  conclude(ending: CheckEnding): Promise<Refused | null>;
}

/** Opens a check run that is not concluded, so that a job that dies leaves no green commit behind. */
export async function openCheck(api: GitHubApi, identity: CheckIdentity): Promise<OpenCheck | Refused> {
  const { repository, name, headSha, status, externalId, detailsUrl, startedAt } = identity;
  const created = await api.call({
    route: 'POST /repos/{owner}/{repo}/check-runs',
    parameters: {
      ...repository,
      name,
      head_sha: headSha,
      status,
      started_at: startedAt,
      ...(externalId === null ? {} : { external_id: externalId }),
      ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
    },
  });
  if (created.kind === 'refused') return created;
  const id = idOf(created.data.get('id'));
  if (id === null) return { kind: 'refused', status: null, reason: 'GitHub named no id for the check run' };
  const target = { api, repository, id };
  // Without an id of its own a twin cannot be told from another's check run.
  if (created.repeated !== true || externalId === null) return checkRunOf(target);
  return {
    async conclude(ending) {
      const refused = await concludeCheckRun(target, ending);
      await concludeTwins(target, { identity, ending });
      return refused;
    },
  };
}

/** Check runs that a try has made whose answer was lost: left open, the newest of a name would hold a pull request back for ever. */
async function concludeTwins(
  { api, repository, id }: CheckTarget,
  { identity, ending }: { readonly identity: CheckIdentity; readonly ending: CheckEnding },
): Promise<void> {
  const { headSha, name, externalId } = identity;
  const parameters = { ...repository, ref: headSha, check_name: name, filter: 'all' };
  const listed = await callPages(
    api,
    { route: 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs', parameters },
    { member: 'check_runs', most: MOST_TWINS },
  );
  if (listed.kind === 'refused') return;
  for (const one of listed.items) {
    const twin = idOf(one.get('id'));
    if (twin === null || twin === id || one.present('external_id')?.string() !== externalId) continue;
    if (one.get('status')?.string() !== 'completed')
      await concludeCheckRun({ api, repository, id: twin }, { ...ending, annotations: [] });
  }
}

/** Check runs of one name on one commit that are looked through. */
const MOST_TWINS = 1_000;

/** A check run that was opened before, by its number. */
export function checkRunOf(target: CheckTarget): OpenCheck {
  return { conclude: (ending) => concludeCheckRun(target, ending) };
}

/** Where a check run is. */
export interface CheckTarget {
  readonly api: GitHubApi;
  readonly repository: RepositoryName;
  readonly id: string;
}

/** How a check run ends. */
export interface CheckEnding {
  readonly conclusion: CheckConclusion;
  readonly output: CheckOutput;
  readonly annotations: readonly Annotation[];
  /** Replaces the identity's. */
  readonly externalId?: string;
}

async function concludeCheckRun({ api, repository, id }: CheckTarget, ending: CheckEnding): Promise<Refused | null> {
  const { conclusion, output, annotations, externalId } = ending;
  const shown = annotations.slice(0, MOST_ANNOTATIONS).map(asGitHub);
  const update = (batch: readonly object[], more: object): Promise<ApiResult> =>
    api.call({
      route: 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
      parameters: {
        ...repository,
        check_run_id: id,
        ...more,
        output: {
          title: output.title,
          summary: output.summary,
          ...(output.text === null ? {} : { text: output.text }),
          annotations: batch,
        },
      },
    });
  // The verdict goes first: whatever becomes of later annotations, the check is concluded.
  const first = await update(shown.slice(0, ANNOTATIONS_A_REQUEST), {
    status: 'completed',
    conclusion,
    ...(externalId === undefined ? {} : { external_id: externalId }),
  });
  if (first.kind === 'refused') return first;
  for (let at = ANNOTATIONS_A_REQUEST; at < shown.length; at += ANNOTATIONS_A_REQUEST) {
    const more = await update(shown.slice(at, at + ANNOTATIONS_A_REQUEST), {});
    if (more.kind === 'refused')
      return { ...more, reason: `${more.reason}, after ${at} of ${shown.length} annotations` };
  }
  return null;
}

/** The API wants a line; where none is known the file's first stands for the file, and the message says what it is about. */
function asGitHub({ path, line, column, level, title, message }: Annotation): object {
  const at = line ?? 1;
  return {
    path,
    start_line: at,
    end_line: at,
    ...(line === null || column === null ? {} : { start_column: column, end_column: column }),
    annotation_level: level,
    title,
    message,
  };
}
