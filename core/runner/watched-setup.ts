import { dirname, resolve } from 'node:path';
import type { Agent } from '../agents/agent.js';
import { diskConfigFiles } from '../io/config-files.js';
import { sourceText } from '../io/source-text.js';
import { GateError } from '../model/errors.js';
import { parseSourcesConfiguration } from '../sources/index.js';
import { importsOf, type Watched, type WatchedAgent } from '../watch/index.js';
import type { Session, SessionSettings } from './session.js';

/** What a session's runs rest on, so that a change can be held against it; relative paths start at `folder`. */
export function watchedBy(
  session: Pick<Session, 'registry'>,
  given: { readonly settings: SessionSettings; readonly folder: string; readonly fixtures: readonly string[] },
): Watched {
  const { settings, folder, fixtures } = given;
  const roots = fixtures.length === 0 ? ['fixtures'] : fixtures;
  return {
    configuration: new Set([...configurationFiles(settings, folder), ...copiesOf(settings, folder)]),
    fixtureRoots: roots.map((root) => resolve(folder, root)),
    agents: [...session.registry.agents.values()].map((agent) => watchedAgent(agent, folder)),
  };
}

/** The files that decide about every run, whether they are there or not. */
export function configurationFiles({ profile, sources, agents }: SessionSettings, folder: string): readonly string[] {
  return [profile, sources.sourcesPath, agents].map((file) => resolve(folder, file));
}

function copiesOf({ sources }: SessionSettings, folder: string): readonly string[] {
  const file = resolve(folder, sources.sourcesPath);
  try {
    const bytes = diskConfigFiles.read(file, { limit: 1 << 24 });
    if (bytes === null) return [];
    return parseSourcesConfiguration(bytes, { file }).entries.map(({ path }) => resolve(dirname(file), path));
  } catch (error) {
    // It changed since the session was opened, and the next run will say what is wrong with it.
    if (error instanceof GateError) return [];
    throw error;
  }
}

function watchedAgent({ specification, module, address }: Agent, folder: string): WatchedAgent {
  const { agentId, groundingMode } = specification;
  const delegates = groundingMode === 'delegation';
  if (module !== undefined) return { agentId, delegates, files: importsOf(resolve(folder, module), sourceText) };
  return { agentId, delegates, files: address === undefined ? null : new Set() };
}
