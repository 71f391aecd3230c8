/** What is known of an agent after a run. */
export interface WatchedAgent {
  readonly agentId: string;
  /** The files that it stands on, absolute; null where that is not known; empty for a service elsewhere. */
  readonly files: ReadonlySet<string> | null;
  /** It asks for runs of other agents, and so stands on them as well. */
  readonly delegates: boolean;
}

/** What a run rested on; paths are absolute. */
export interface Watched {
  /** Profile, sources, pinned copies, agents.yaml: all runs depend on them. */
  readonly configuration: ReadonlySet<string>;
  /** Files and folders in which fixtures are looked for. */
  readonly fixtureRoots: readonly string[];
  readonly agents: readonly WatchedAgent[];
}

/** What is to be run again. */
export type Rerun =
  | { readonly kind: 'all' }
  | { readonly kind: 'some'; readonly fixtures: ReadonlySet<string>; readonly agents: ReadonlySet<string> };

/** Names of what an agent may be written in, or may read; anything else changes no run. */
const SOURCE = /\.(?:[cm]?[jt]sx?|json|py|rs|go|rb|java|ya?ml|txt|md|toml)$/;
const EXPECTATION = /\.expect\.ya?ml$/;

/**
 * What changed paths touch: a fixture or expectation that fixture, a file of an agent that agent's fixtures, the configuration all of
 * them. Null knowledge, as after a run that was refused, makes any change one of everything.
 */
export function planRerun(changed: Iterable<string>, watched: Watched | null): Rerun {
  const fixtures = new Set<string>();
  const agents = new Set<string>();
  for (const path of changed) {
    if (watched === null || watched.configuration.has(path)) return { kind: 'all' };
    const fixture = fixtureOf(path, watched.fixtureRoots);
    if (fixture !== null) fixtures.add(fixture);
    for (const { agentId, files } of watched.agents)
      if (files === null ? fixture === null && SOURCE.test(path) : files.has(path)) agents.add(agentId);
  }
  if (agents.size > 0) for (const { agentId, delegates } of watched?.agents ?? []) if (delegates) agents.add(agentId);
  return { kind: 'some', fixtures, agents };
}

function fixtureOf(path: string, roots: readonly string[]): string | null {
  const fixture = path.replace(EXPECTATION, '.json');
  if (!fixture.endsWith('.json')) return null;
  return roots.some((root) => fixture === root || path.startsWith(`${root}/`)) ? fixture : null;
}
