import { commitsBetween } from '../git/history.js';
import { type Call, found, numberOf, ok, paged, type Route, reads } from '../http/call.js';
import { changesBetween, commitOf, diffEntry } from '../render/commits.js';
import { pullFull, pullSimple } from '../render/pulls.js';
import type { Pull } from '../state/records.js';

// GitHub lists no more files and commits of a pull request than these.
const MOST_FILES = 3000;
const MOST_COMMITS = 250;

const pullAt = (call: Call) => found(call.repository.pulls.find(numberOf(call, 'pull_number')));

function headLabel(call: Call, pull: Pull): string {
  const from = pull.headRepository === undefined ? undefined : call.world.repositories.get(pull.headRepository);
  return `${from?.owner.login ?? 'unknown'}:${pull.headRef}`;
}

function list(call: Call) {
  const { query, repository } = call;
  const state = query.get('state') ?? 'open';
  const head = query.get('head');
  // GitHub takes no notice of a head without an owner, and answers everything.
  const wanted = head?.includes(':') ? head.toLowerCase() : undefined;
  const pulls = repository.pulls.all
    .filter((pull) => state === 'all' || pull.issue.state === state)
    .filter((pull) => wanted === undefined || headLabel(call, pull).toLowerCase() === wanted)
    .filter((pull) => pull.baseRef === (query.get('base') ?? pull.baseRef));
  const isUpdated = query.get('sort') === 'updated';
  const key = (pull: Pull) => (isUpdated ? pull.issue.updatedAt : pull.issue.createdAt);
  pulls.sort((a, b) => key(a).localeCompare(key(b)) || a.number - b.number);
  // The newest come first unless a sort is named.
  if ((query.get('direction') ?? (query.has('sort') ? 'asc' : 'desc')) === 'desc') pulls.reverse();
  return paged(call, pulls, (some) => some.map((pull) => pullSimple(repository, pull)));
}

function listFiles(call: Call) {
  const { repository } = call;
  const pull = pullAt(call);
  const changes = changesBetween(repository, { base: repository.pulls.mergeBase(pull), head: pull.headSha });
  return paged(call, changes.slice(0, MOST_FILES), (some) =>
    some.map((change) => diffEntry(repository, { change, head: pull.headSha })),
  );
}

function listCommits(call: Call) {
  const pull = pullAt(call);
  const commits = commitsBetween(call.repository.store, { from: pull.baseSha, to: pull.headSha }).reverse();
  return paged(call, commits.slice(0, MOST_COMMITS), (some) => some.map((one) => commitOf(call.repository, one)));
}

/** Pull requests. */
export const pulls: Readonly<Record<string, Route>> = {
  'pulls/list': reads(['pull_requests'], list),
  'pulls/get': reads(['pull_requests'], (call) => ok(pullFull(call.repository, pullAt(call)))),
  'pulls/list-files': reads(['pull_requests'], listFiles),
  'pulls/list-commits': reads(['pull_requests'], listCommits),
};
