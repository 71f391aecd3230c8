import { callPages, type JsonNode } from '../../core/index.js';
import { TryAgain } from '../jobs.js';
import { ask, type Place } from './api.js';

/** A pull request as it stands now. */
export interface PullRequest {
  readonly number: number;
  readonly isOpen: boolean;
  readonly headSha: string;
  /** Null when the fork is gone. */
  readonly headRepository: number | null;
  readonly baseRef: string;
}

/** Open pull requests that are looked through for a head: more than any repository has that is looked after. */
const MOST_PULLS = 5_000;
/** Of these, one reading of a list is whole. */
const ONE_PAGE = 100;
const MOST_READINGS = 4;

/** Null when there is none of this number. */
export async function readPull(place: Place, pull: number): Promise<PullRequest | null> {
  const found = await ask(place, { route: 'GET /pulls/{pull_number}', parameters: { pull_number: pull } });
  if (found.kind === 'ok') return pullOf(found.data);
  if (found.status === 404) return null;
  throw new Error(found.reason);
}

/**
 * The open pull requests of a commit, forks' included, which GitHub names nowhere: all open ones are listed. While pages are asked for, one that
 * is closed moves another to a page that was read already, so that several pages count when two readings name the same. Throws when there
 * are more than are looked through, since one that was not seen would not be judged, and `TryAgain` when the list does not hold still.
 */
export async function pullsOfHead(place: Place, head: string): Promise<readonly PullRequest[]> {
  let before: string | null = null;
  for (let reading = 1; reading <= MOST_READINGS; reading++) {
    const items = await openPulls(place);
    const numbers = items.map((item) => item.get('number')?.integer()).join();
    if (items.length < ONE_PAGE || numbers === before) return items.flatMap((item) => ofHead(item, head));
    before = numbers;
  }
  throw new TryAgain('the list of open pull requests changed each time it was read', { afterSeconds: null });
}

async function openPulls({ api, repository }: Place): Promise<readonly JsonNode[]> {
  const listed = await callPages(
    api,
    { route: 'GET /repos/{owner}/{repo}/pulls', parameters: { ...repository, state: 'open' } },
    { most: MOST_PULLS },
  );
  if (listed.kind === 'refused') throw new Error(listed.reason);
  if (listed.items.length >= MOST_PULLS) throw new Error(`more than ${MOST_PULLS} pull requests are open`);
  return listed.items;
}

function ofHead(item: JsonNode, head: string): readonly PullRequest[] {
  const pull = pullOf(item);
  return pull?.headSha === head ? [pull] : [];
}

function pullOf(data: JsonNode): PullRequest | null {
  const [head, base] = [data.get('head'), data.get('base')];
  const [number, headSha, baseRef] = [
    data.get('number')?.integer(),
    head?.get('sha')?.string(),
    base?.get('ref')?.string(),
  ];
  if (number === undefined || headSha === undefined || baseRef === undefined) return null;
  return {
    number,
    isOpen: data.get('state')?.string() === 'open',
    headSha,
    headRepository: head?.present('repo')?.get('id')?.integer() ?? null,
    baseRef,
  };
}
