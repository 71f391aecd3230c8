import type { JsonNode } from '../json/index.js';
import { type Marker, readMarker } from '../report/index.js';
import type { RepositoryName } from './api-files.js';
import { callPages, idOf } from './client.js';
import type { ApiResult, GitHubApi, Refused } from './ports.js';

/** Comments of one pull request that are looked through: more than any has. */
const MOST_COMMENTS = 5_000;
/** How often a comment that another run overwrote meanwhile is put right. */
const ROUNDS = 3;

/** What to post, and where. */
export interface CommentPlan {
  readonly repository: RepositoryName;
  /** Who writes: a login that is known, or the token's own, which is asked for at this address. */
  readonly author: { readonly login: string } | { readonly graphqlUrl: string };
  readonly number: number;
  readonly marker: Marker;
  /** With the marker in its first line. */
  readonly body: string;
  /** Post although there is no comment yet; an older one of ours is brought up to date in any case. */
  readonly create: boolean;
  /**
   * Which of two bodies stands: the newer run's, for jobs that may overtake one another, or the last one, for a door that
   * writes about a pull request one at a time; that one leaves a comment alone that says the same already.
   */
  readonly order: 'newest-run' | 'last-word';
}

/** What became of the comment. `older`: a newer run has spoken already. */
export type CommentResult =
  | { readonly kind: 'written' }
  | { readonly kind: 'not-wanted' }
  | { readonly kind: 'older'; readonly runId: string }
  | Refused;

/** A comment of ours: the marker and the author agree. */
interface Own {
  readonly id: string;
  readonly body: string;
  readonly marker: Marker;
}

/**
 * Keeps one comment for a check name: found by its marker and its author, never by one of them alone, since anyone can write a marker.
 * An older run never overwrites a newer one; what two runs wrote at the same time is looked at again and collapsed into one.
 */
export async function keepComment(api: GitHubApi, plan: CommentPlan): Promise<CommentResult> {
  const viewer = 'login' in plan.author ? plan.author.login : await viewerOf(api, plan.author.graphqlUrl);
  if (typeof viewer !== 'string') return viewer;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const own = await ownComments(api, { plan, checkName: plan.marker.checkName, viewer });
    if (!Array.isArray(own)) return own as Refused;
    if (plan.order === 'last-word' && own.length === 1 && !needsWriting(own, plan)) return settled;
    const result = round === 1 || needsWriting(own, plan) ? await write(api, { plan, own }) : settled;
    if (result.kind !== 'written') return result;
    const after = await ownComments(api, { plan, checkName: plan.marker.checkName, viewer });
    if (!Array.isArray(after)) return after as Refused;
    const refused = await collapse(api, { plan, own: after });
    if (refused !== null) return refused;
    if (!needsWriting(after, plan)) return settled;
  }
  return settled;
}

const settled: CommentResult = { kind: 'written' };

/**
 * Looks once more, at the end of a job, whether an older run's request that was under way has put its words in the place of ours, and
 * puts ours back. GitHub takes no condition with an update, so that a moment remains in which it may happen.
 */
export async function confirmComment(api: GitHubApi, plan: CommentPlan): Promise<CommentResult> {
  const viewer = 'login' in plan.author ? plan.author.login : await viewerOf(api, plan.author.graphqlUrl);
  if (typeof viewer !== 'string') return viewer;
  const own = await ownComments(api, { plan, checkName: plan.marker.checkName, viewer });
  if (!Array.isArray(own)) return own as Refused;
  return own.length > 0 && needsWriting(own, plan) ? keepComment(api, plan) : settled;
}

/** Who we are to GitHub. Without knowing it nothing is edited and nothing made: a second comment each run would be the price. */
async function viewerOf(api: GitHubApi, graphqlUrl: string): Promise<string | Refused> {
  const answer = await api.call({ route: `POST ${graphqlUrl}`, parameters: { query: 'query { viewer { login } }' } });
  if (answer.kind === 'refused') return answer;
  const login = answer.data.get('data')?.present('viewer')?.get('login')?.string();
  if (login !== undefined && login !== '') return login;
  return {
    kind: 'refused',
    status: null,
    reason: 'GitHub does not say whose the token is, so that no comment can be told ours',
  };
}

/** The markers of our comments for a check on a pull request. */
export async function ownMarkers(
  api: GitHubApi,
  plan: Pick<CommentPlan, 'repository' | 'number'> & { readonly checkName: string; readonly login: string },
): Promise<readonly Marker[] | Refused> {
  const own = await ownComments(api, { plan, checkName: plan.checkName, viewer: plan.login });
  return Array.isArray(own) ? own.map(({ marker }) => marker) : (own as Refused);
}

interface Looking {
  readonly plan: Pick<CommentPlan, 'repository' | 'number'>;
  readonly checkName: string;
  readonly viewer: string;
}

async function ownComments(api: GitHubApi, { plan, checkName, viewer }: Looking): Promise<Own[] | Refused> {
  const found = await callPages(
    api,
    {
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
      parameters: { ...plan.repository, issue_number: plan.number },
    },
    { most: MOST_COMMENTS },
  );
  if (found.kind === 'refused') return found;
  return found.items.flatMap((item) => ownOf(item, { checkName, viewer }) ?? []);
}

function ownOf(comment: JsonNode, { checkName, viewer }: Omit<Looking, 'plan'>): Own | null {
  const id = idOf(comment.get('id'));
  if (id === null || comment.present('user')?.get('login')?.string() !== viewer) return null;
  const body = comment.get('body')?.string() ?? '';
  const marker = readMarker(body);
  return marker !== null && marker.checkName === checkName ? { id, body, marker } : null;
}

/** Ids count up, and so do attempts; whatever commit they were for, the later run knows more. */
function compareRuns(one: Marker, other: Marker): number {
  const runs = BigInt(one.runId) - BigInt(other.runId);
  return runs === 0n ? one.attempt - other.attempt : Number(runs > 0n) - Number(runs < 0n);
}

/** The one that stays: the newest run's, or the first that was made where the last word stands whoever had it. */
function standing(own: readonly Own[], { order }: CommentPlan): Own | undefined {
  const byId = (a: Own, b: Own): number => Number(BigInt(a.id) - BigInt(b.id));
  return [...own].sort((a, b) => (order === 'newest-run' ? compareRuns(b.marker, a.marker) : 0) || byId(a, b))[0];
}

/** Whether our word is missing: no comment left, or another stands where ours was. */
function needsWriting(own: readonly Own[], plan: CommentPlan): boolean {
  const one = standing(own, plan);
  if (one === undefined) return true;
  return plan.order === 'newest-run' ? compareRuns(one.marker, plan.marker) < 0 : one.body.trim() !== plan.body.trim();
}

interface Writing {
  readonly plan: CommentPlan;
  readonly own: readonly Own[];
}

async function write(api: GitHubApi, { plan, own }: Writing): Promise<CommentResult> {
  const { repository, body, marker, order } = plan;
  const latest = standing(own, plan);
  if (latest === undefined) {
    if (!plan.create) return { kind: 'not-wanted' };
    const parameters = { ...repository, issue_number: plan.number, body };
    return done(await api.call({ route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments', parameters }));
  }
  if (order === 'newest-run' && compareRuns(latest.marker, marker) > 0)
    return { kind: 'older', runId: latest.marker.runId };
  const parameters = { ...repository, comment_id: latest.id, body };
  return done(await api.call({ route: 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', parameters }));
}

function done(result: ApiResult): CommentResult {
  return result.kind === 'refused' ? result : settled;
}

/** Deletes all of our comments for the check but the newest run's: two runs may each have made one. */
async function collapse(api: GitHubApi, { plan, own }: Writing): Promise<Refused | null> {
  const kept = standing(own, plan);
  for (const { id } of own) {
    if (id === kept?.id) continue;
    const parameters = { ...plan.repository, comment_id: id };
    const gone = await api.call({ route: 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', parameters });
    // The other run may have deleted it first.
    if (gone.kind === 'refused' && gone.status !== 404) return gone;
  }
  return null;
}
