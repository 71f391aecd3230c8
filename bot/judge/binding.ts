import {
  type CommitFiles,
  gateError,
  heldSourceFiles,
  loadSources,
  type Profile,
  parseProfile,
  type SourceCopies,
} from '../../core/index.js';
import { CONFIG_FILE, type GroundingConfig } from '../config/grounding-config.js';
import { type ReadConfig, readConfig } from '../config/read-config.js';
import { readSide, type Side, sameSources, sourceBytes } from './side.js';

/** By what a commit is judged: what binds, and the change's own where it is another. */
export interface Binding {
  readonly config: GroundingConfig;
  readonly profile: Profile | null;
  readonly sources: SourceCopies;
  /** Where pins are shown: the file that binds. */
  readonly pins: { readonly file: string; readonly bytes: Uint8Array | null };
  /** Null where the change's own are the ones that bind. */
  readonly own: {
    readonly profile: Profile | null;
    readonly sources: SourceCopies;
    readonly config: GroundingConfig;
  } | null;
  readonly notices: readonly string[];
  close(): void;
}

/** The commits that are compared. */
export interface Commits {
  readonly base: CommitFiles;
  readonly head: CommitFiles;
  readonly config: GroundingConfig;
  readonly secret: string;
}

/**
 * Finds out what binds: the default branch's configuration and the base's profile, sources and pins, since a change must not choose its
 * own judge. What the change alters of it is a second opinion. Throws GateError for whatever of either is refused.
 */
export async function bindCommits({ base, head, config, secret }: Commits): Promise<Binding> {
  const proposed = await readConfig(head);
  const ownConfig = configOf(proposed, config);
  const [bound, own] = [await readSide(base, config), await readSide(head, ownConfig)];
  refuseRemoval(bound, own);
  const profile = await profileOf(bound.profile === null ? own : bound);
  const source = bound.sources === null ? own : bound;
  const sources = await copiesOf(source, secret);
  const differs = {
    config: ownConfig !== config,
    profile: bound.profile !== null && (bound.profile.sha !== own.profile?.sha || ownConfig.profile !== config.profile),
    sources: bound.sources !== null && !sameSources(bound, own),
  };
  const second = differs.config || differs.profile || differs.sources;
  const ownSources = second ? (differs.sources ? await copiesOf(own, secret) : sources) : null;
  return {
    config,
    profile,
    sources,
    pins: { file: source.paths.sources, bytes: source.sourcesBytes },
    own:
      ownSources === null
        ? null
        : { profile: differs.profile ? await profileOf(own) : profile, sources: ownSources, config: ownConfig },
    notices: [...altered(differs, config), ...firstUse(bound), ...sources.notices],
    close() {
      sources.close();
      if (ownSources !== sources) ownSources?.close();
    },
  };
}

/** The configuration that the change proposes; one that it takes away, or cannot be read, is none to judge by. */
function configOf(proposed: ReadConfig, config: GroundingConfig): GroundingConfig {
  if (proposed.kind === 'broken')
    throw gateError('config-value', {
      blame: 'configuration',
      message: `this change breaks it: ${proposed.reason}`,
      remedy: 'mend it before it is merged',
      place: { file: CONFIG_FILE },
    });
  if (proposed.kind === 'none') return config;
  return JSON.stringify(proposed.config) === JSON.stringify(config) ? config : proposed.config;
}

async function profileOf({ files, profile, paths }: Side): Promise<Profile | null> {
  return profile === null ? null : parseProfile(await files.read(profile.sha), { file: paths.profile });
}

async function copiesOf(side: Side, secret: string): Promise<SourceCopies> {
  const files = heldSourceFiles({ files: await sourceBytes(side), secret });
  return loadSources(files, { sourcesPath: side.paths.sources, named: false });
}

function refuseRemoval(bound: Side, own: Side): void {
  const gone = [
    ...(bound.profile !== null && own.profile === null ? [own.paths.profile] : []),
    ...(bound.sources !== null && own.sources === null ? [own.paths.sources] : []),
  ];
  const [file] = gone;
  if (file === undefined) return;
  throw gateError('config-missing', {
    blame: 'configuration',
    message: 'the base has this file, and this change removes it',
    remedy: 'put it back, or remove it in a change that its owner merges by hand',
    place: { file },
  });
}

function altered(
  differs: { readonly config: boolean; readonly profile: boolean; readonly sources: boolean },
  config: GroundingConfig,
): readonly string[] {
  const files = [
    ...(differs.config ? [CONFIG_FILE] : []),
    ...(differs.profile ? [config.profile] : []),
    ...(differs.sources ? [`${config.sources} or a pinned copy`] : []),
  ];
  return files.map(
    (file) =>
      `this change alters ${file}: the base's binds, this change's own was evaluated besides, and an owner should review it`,
  );
}

function firstUse({ profile, sources }: Side): readonly string[] {
  const open = [...(profile === null ? ['profile'] : []), ...(sources === null ? ['sources'] : [])];
  if (open.length === 0) return [];
  return [`first use, unprotected: the base has no ${open.join(' and no ')}, so that this change's own were used`];
}
