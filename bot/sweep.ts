import type { BotLog, InstallationApi, RepositoryRef, SweepJob } from './jobs.js';
import { idMember, member, textMember } from './member.js';
import type { BotClock, GitHubApp, Metrics } from './ports.js';
import type { Added, Queue } from './queue.js';
import { type ListRequest, readList } from './read-list.js';

/** From this hour on (UTC) a night's stored runs are judged again. */
const NIGHT_BEGINS_HOUR = 2;

/** What a sweep works with. */
export interface SweepWorld {
  readonly github: GitHubApp;
  readonly queue: Pick<Queue, 'add' | 'isNoted' | 'note'>;
  readonly clock: BotClock;
  readonly metrics: Pick<Metrics, 'incomplete'>;
  readonly log: BotLog;
  readonly signal: AbortSignal;
}

/** Does a sweep's job: finds what is there and adds a job for each. */
export async function sweep(job: SweepJob, world: SweepWorld): Promise<void> {
  switch (job.kind) {
    case 'roll-call':
      return callRoll(world);
    case 'installation':
      return sweepInstallation(job.installation, world);
    case 'repository':
      return sweepRepository(job, world);
  }
}

async function callRoll(world: SweepWorld): Promise<void> {
  const all = await list(world, world.github.app, { route: 'GET /app/installations' });
  const awake = all.filter((one) => (member(one, 'suspended_at') ?? null) === null);
  const ids = awake.flatMap((one) => idMember(one, 'id') ?? []);
  await world.queue.add(ids.map((installation) => now({ kind: 'installation', installation })));
  world.log.info('sweep of all installations', { installations: ids.length, suspended: all.length - awake.length });
}

async function sweepInstallation(installation: number, world: SweepWorld): Promise<void> {
  // What the installation may do and see can have changed since its token was made.
  world.github.forget(installation);
  const api = await world.github.installation(installation, world.signal);
  const all = await list(world, api, { route: 'GET /installation/repositories', member: 'repositories' });
  // Nothing can be written to these.
  const open = all.filter((one) => member(one, 'archived') !== true && member(one, 'disabled') !== true);
  const repositories = open.flatMap((one) => repositoryOf(one) ?? []);
  await world.queue.add(repositories.map((repository) => now({ kind: 'repository', installation, repository })));
  world.log.info('sweep of an installation', { installation, repositories: repositories.length });
}

async function sweepRepository(
  { installation, repository }: Extract<SweepJob, { kind: 'repository' }>,
  world: SweepWorld,
): Promise<void> {
  const api = await world.github.installation(installation, world.signal);
  const parameters = {
    owner: repository.owner,
    repo: repository.name,
    state: 'open',
    sort: 'created',
    direction: 'asc',
  };
  const pulls = await list(world, api, { route: 'GET /repos/{owner}/{repo}/pulls', parameters });
  const numbers = pulls.flatMap((one) => idMember(one, 'number') ?? []);
  await world.queue.add(numbers.map((pull) => now({ kind: 'judge', installation, repository, pull, why: 'sweep' })));
  await addNight({ installation, repository }, world);
  world.log.info('sweep of a repository', { installation, repository: repository.id, pulls: numbers.length });
}

/** The night's work, once for each repository and night. */
async function addNight(
  where: { readonly installation: number; readonly repository: RepositoryRef },
  { queue, clock }: SweepWorld,
): Promise<void> {
  const [night = '', time = ''] = clock.iso().split('T');
  const note = `reverify:${where.repository.id}:${night}`;
  if (Number(time.slice(0, 2)) < NIGHT_BEGINS_HOUR || (await queue.isNoted(note))) return;
  await queue.add([now({ kind: 'reverify', ...where, night })]);
  await queue.note(note);
}

async function list(world: SweepWorld, api: InstallationApi, request: ListRequest): Promise<readonly unknown[]> {
  const { items, complete } = await readList(api, request);
  if (complete) return items;
  world.metrics.incomplete(request.route);
  world.log.warn('a list changed while it was read; the next sweep reads it again', { list: request.route });
  return items;
}

function repositoryOf(value: unknown): RepositoryRef | null {
  const id = idMember(value, 'id');
  const owner = textMember(value, 'owner', 'login');
  const name = textMember(value, 'name');
  return id === undefined || owner === undefined || name === undefined ? null : { id, owner, name };
}

function now(job: Added['job']): Added {
  return { job, delaySeconds: 0 };
}
