import { isAbsolute, join, relative, sep } from 'node:path';
import {
  agentFindings,
  type CommitFiles,
  commitFixtureFiles,
  diskFixtureFiles,
  type Finding,
  type FixturePlan,
  gateError,
  headFixtures,
  inRepository,
  loadSources,
  mergeFixtures,
  type Profile,
  parseProfile,
  plainBytes,
  type SourceCopies,
  type SourcesLocation,
  sourceFilesFor,
} from '../core/index.js';
import { openBase } from './base-commit.js';
import { type BaseConfig, type ConfigState, compareConfig } from './base-config.js';
import type { Job, Place } from './job.js';
import type { ActionFiles, ActionWorld } from './world.js';

/** The configuration that binds a job, and the pull request's own where it is another. */
export interface Binding {
  readonly profile: string;
  readonly sources: SourcesLocation;
  /** Null where the head's is the one that binds. */
  readonly headProfile: Profile | null;
  readonly headSources: SourcesLocation | null;
  /** The base commit's files; null where the commit itself binds. */
  readonly base: CommitFiles | null;
  readonly config: BaseConfig | null;
  readonly notices: readonly string[];
}

/** Where a job stands. */
export interface Standing {
  readonly world: ActionWorld;
  readonly job: Job;
  readonly place: Place;
}

/**
 * Finds out which configuration binds: on pull requests and in the merge queue the base's, since what is judged must not choose its judge
 * (issue 3, point 6); the commit's own elsewhere. What differs on the base is written out into a folder of its own.
 */
export async function bind(standing: Standing): Promise<Binding> {
  const { job, place } = standing;
  const { inputs } = job;
  const commit = place.base;
  const own = { profile: inputs.profile, sources: inputs.sources, headProfile: null, headSources: null };
  if (commit === null) return { ...own, base: null, config: null, notices: [] };
  const base = await openBase(commit, { checkout: place.checkout, api: job.api, repository: job.repository });
  return bindTo(base, standing);
}

async function bindTo(base: CommitFiles, { world, job, place }: Standing): Promise<Binding> {
  const { files } = world;
  const { profile, sources } = job.inputs;
  const folder = files.makeTemporary(job.context.temp);
  // Marks the folder as a repository of its own: what its configuration names may not leave it.
  files.makeFolder(join(folder, '.git'));
  const config = await compareConfig(base, {
    paths: { prefix: place.prefix, profile, sources: sources.sourcesPath },
    workspace: {
      read: (path) => readInside(path, { files, root: place.root }),
      writeBase: (path, bytes) => files.write(join(folder, path), bytes),
    },
  });
  const there = join(folder, place.prefix);
  const binding = {
    sources,
    headSources: null,
    profile,
    headProfile: null,
    base,
    config,
    notices: [...(place.behind ? [BEHIND] : []), ...noticesOf(config, job)],
  };
  return {
    ...binding,
    ...(config.profile === 'changed'
      ? { profile: join(there, profile), headProfile: ownProfile({ world, job, place }) }
      : {}),
    ...(config.sources === 'changed'
      ? { sources: { ...sources, named: true, folder: there }, headSources: ownSources({ world, job, place }) }
      : {}),
  };
}

const BEHIND =
  'the head is checked out, which lacks what the base has gained since: it may look removed; update the branch, or let actions/checkout take the merge commit';

function noticesOf(config: BaseConfig, { inputs }: Job): readonly string[] {
  const about: readonly (readonly [string, ConfigState])[] = [
    [inputs.profile, config.profile],
    [inputs.sources.sourcesPath, config.sources],
  ];
  return about
    .filter(([, state]) => state === 'changed')
    .map(
      ([file]) =>
        `this change alters ${file}: the base's binds, this change's own was evaluated besides, and an owner should review it`,
    );
}

function ownProfile({ world, job, place }: Standing): Profile {
  const { profile } = job.inputs;
  const bytes = readInside(inRepository(place.prefix, profile), { files: world.files, root: place.root });
  if (bytes === null) throw removed(profile);
  return parseProfile(bytes, { file: profile });
}

function ownSources({ world, job, place }: Standing): SourcesLocation {
  const { sources } = job.inputs;
  const bytes = readInside(inRepository(place.prefix, sources.sourcesPath), { files: world.files, root: place.root });
  if (bytes === null) throw removed(sources.sourcesPath);
  return { ...sources, named: true };
}

/** A file of the working tree by its path from the root; a link that a pull request put there may not lead out of it. */
function readInside(
  path: string,
  { files, root }: { readonly files: ActionFiles; readonly root: string },
): Uint8Array | null {
  const there = join(root, path);
  const steps = relative(root, files.realPath(there));
  if (steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps)) return files.read(there);
  throw gateError('config-outside', {
    blame: 'configuration',
    message: 'a link in the place of this file leads out of the repository',
    remedy: 'keep the file itself inside the repository',
    place: { file: path },
  });
}

function removed(file: string): Error {
  return gateError('config-missing', {
    blame: 'configuration',
    message: 'the base has this file, and this change removes it',
    remedy: 'put it back, or remove it in a change that its owner merges by hand',
    place: { file },
  });
}

/** Opens the pull request's own copies; null where the base's are the same. */
export function openHeadCopies({ headSources }: Binding): SourceCopies | null {
  return headSources === null ? null : loadSources(sourceFilesFor(headSources), headSources);
}

/** The fixtures to run under the expectations that bind. */
export async function bindFixtures(binding: Binding, { job, place }: Standing): Promise<FixturePlan> {
  const { fixtures: targets } = job.inputs;
  const head = diskFixtureFiles(job.folder);
  if (binding.base === null) return headFixtures(head, targets);
  const base = await commitFixtureFiles(binding.base, { targets, prefix: place.prefix });
  return mergeFixtures({ head, base }, targets);
}

/** In what the change lets agents out of sight that the base does not; read before any of them runs. */
export async function agentLoosenings({ base }: Binding, { world, job, place }: Standing): Promise<readonly Finding[]> {
  if (base === null) return [];
  const { agents: file } = job.inputs;
  const path = inRepository(place.prefix, file);
  const bound = await plainBytes(base, path);
  if (bound === null) return [];
  const head = readInside(path, { files: world.files, root: place.root });
  return agentFindings({ base: bound, head, file });
}

/** What is said when the base protects nothing, or not everything, of what the pull request brings. */
export function firstUse({ config }: Binding, fixtures: FixturePlan | null): readonly string[] {
  if (config === null) return [];
  const parts: readonly (readonly [string, boolean])[] = [
    ['profile', config.profile === 'first-use'],
    ['sources', config.sources === 'first-use'],
    ...(fixtures === null ? [] : [['fixtures', !fixtures.protected] as const]),
  ];
  const open = parts.filter(([, isOpen]) => isOpen).map(([name]) => name);
  if (open.length === 0) return [];
  return [`first use, unprotected: the base has no ${open.join(' and no ')}, so that this change's own were used`];
}
