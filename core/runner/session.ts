import pLimit from 'p-limit';
import type { AgentRegistry } from '../agents/agent.js';
import { unavailableText } from '../agents/unavailable-text.js';
import { type Conductor, createConductor } from '../conductor/conductor.js';
import { Grants } from '../conductor/grants.js';
import type { ConductorDeps } from '../conductor/run-context.js';
import { systemClock } from '../io/clock.js';
import { randomTokens, systemIds } from '../io/ids.js';
import { refuseUsedFolder } from '../io/recording-files.js';
import { createSchemaProcess } from '../io/schema-process.js';
import { sourceFilesFor } from '../io/source-files.js';
import { randomSpanIds } from '../io/span-ids.js';
import { storeWorld } from '../io/store-files.js';
import { createTreeWriter } from '../io/tree-writer.js';
import { doubtfulApprovals, type Profile, unknownAgents } from '../policy/index.js';
import type { Recorder } from '../recordings/index.js';
import { loadSources, type SourcesLocation } from '../sources/index.js';
import { openStore, repairNotices } from '../store/index.js';
import { createTracer } from '../trace/tracer.js';
import type { RequestWorld } from './complete-request.js';
import { interruptible } from './interruptible-store.js';
import { openModelGate } from './model-gate.js';
import { openProjects } from './open-projects.js';
import { openOfflineRegistry, openRegistry, openReplayRegistry } from './open-registry.js';
import { readProfile } from './read-profile.js';
import { refuseUselessSources, sourceDoor } from './source-door.js';

/** What a session is opened from; paths are relative to the process's folder. */
export interface SessionSettings {
  readonly profile: string;
  readonly sources: SourcesLocation;
  readonly agents: string;
  readonly runs: string;
  readonly writeCrate: boolean;
  /** What agents may be given of it, contract 7 decides. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Told of errors of ours that end no run, such as those of a door. */
  readonly onError?: (error: unknown) => void;
  /** Listens to every run. */
  readonly recorder?: Recorder;
  /** Agents are started to be asked what they are, and never called; the runs folder must be empty. */
  readonly replays?: true;
  /** Many runs at once are to come: a thread of its own writes them, and a few at a time are judged and stored. */
  readonly many?: true;
}

/**
 * Runs that are judged and stored at the same time where many are to come. If all that wait were, they would end together, their callers
 * would ask again together, and there would be nothing to do until all their agents answered.
 */
const FINISHING = 8;

/** Everything that runs need, opened from its settings; `close` ends the agents and gives the files back. */
export interface Session {
  readonly conductor: Conductor;
  /** What the conductor works with. */
  readonly deps: ConductorDeps;
  /** The same over agents that were started without a network, at its first call. Rejects with GateError `offline-unavailable`. */
  offline(): Promise<Conductor>;
  readonly profile: Profile;
  readonly registry: AgentRegistry;
  /** Issues none before an endpoint is open (see harness.ts). */
  readonly grants: Grants;
  readonly world: RequestWorld;
  /** What the user should know although it is no error. */
  readonly notices: readonly string[];
  /** What is odd in the configuration and changes no single run: told where all of them are. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
  /** Ends the agents and stores nothing more; resolves when what was being stored is whole. */
  interrupt(): Promise<void>;
}

/**
 * Opens a session: first what can be refused without starting anything, then the agents, last the runs folder, which
 * repairs it. Rejects with a GateError, blame `configuration`, and leaves nothing open then.
 */
export async function openSession(settings: SessionSettings): Promise<Session> {
  const ends: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  const { recorder } = settings;
  try {
    if (settings.replays) refuseUsedFolder(settings.runs);
    const profile = readProfile(settings.profile);
    const copies = loadSources(sourceFilesFor(settings.sources), settings.sources);
    ends.push(() => copies.close());
    const clock = systemClock();
    const onError = settings.onError ?? ignored;
    const models = openModelGate({ clock, tokens: randomTokens, onError });
    ends.push(() => models.close());
    const offered = { ...settings, models: models.gate };
    const started = await (settings.replays ? openReplayRegistry(offered) : openRegistry(offered));
    ends.push(() => started.close());
    const registry = recorder?.registry(started) ?? started;
    const schemas = createSchemaProcess();
    ends.push(() => schemas.close());
    const writer = settings.many ? createTreeWriter() : undefined;
    ends.push(() => writer?.close());
    const runs = await openStore(storeWorld(writer), settings.runs);
    const { store: stored, interrupt } = interruptible(runs.store);
    const store = recorder?.store(stored) ?? stored;
    const traced = createTracer({ clock, ids: randomSpanIds() });
    const tracer = recorder?.tracer(traced) ?? traced;
    const { writeCrate } = settings;
    const grants = new Grants(randomTokens);
    const projects = openProjects(settings);
    refuseUselessSources(registry, { copies, file: settings.agents });
    const sources = sourceDoor({ copies, clock, tokens: randomTokens, onError });
    ends.push(() => sources.close());
    const finishing = settings.many ? { finishing: pLimit(FINISHING) } : {};
    const closed = {
      profile,
      registry,
      copies,
      schemas,
      store,
      tracer,
      clock,
      writeCrate,
      grants,
      projects,
      ...finishing,
    };
    const deps = { ...closed, doors: [sources.door, models.door] };
    let unplugged: AgentRegistry | undefined;
    const offline = once(async () => {
      const opened = await openOfflineRegistry(settings);
      unplugged = recorder?.registry(opened) ?? opened;
      ends.push(() => opened.close());
      // An agent without a network reaches no door.
      return createConductor({ ...closed, registry: unplugged });
    });
    return {
      conductor: createConductor(deps),
      deps,
      offline,
      profile,
      registry,
      grants,
      world: { clock, ids: systemIds() },
      notices: [...copies.notices, ...repairNotices(runs.repaired), ...serviceNotices(registry)],
      warnings: profileNotices(profile, registry),
      close,
      interrupt: async () => void (await Promise.all([interrupt(), registry.close(), unplugged?.close()])),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function ignored(): void {}

/** A service of ours that did not come up is told of with its log, which the answer to a caller leaves out. */
function serviceNotices({ unavailable }: AgentRegistry): readonly string[] {
  return unavailable.filter(({ log }) => log !== undefined).map((agent) => `not started: ${unavailableText(agent)}`);
}

function profileNotices(profile: Profile, registry: AgentRegistry): readonly string[] {
  const doubtful = doubtfulApprovals(profile).map(
    ({ actionClass, place, meant }) =>
      `${place.file}:${place.line}: no agent of the profile has the class ${JSON.stringify(actionClass)}, whose runs need approval; did you mean ${JSON.stringify(meant)}?`,
  );
  return [...doubtful, ...unknownAgentNotices(profile, registry)];
}

/** An agent that was not reached may be the one that an entry is for, so that nothing is said then. */
function unknownAgentNotices(
  profile: Profile,
  { agents, unavailable, incompatible }: AgentRegistry,
): readonly string[] {
  if (unavailable.length + incompatible.length > 0) return [];
  return unknownAgents(profile, new Set(agents.keys())).map(({ agentId, place, meant }) => {
    const guess = meant === null ? '' : `; did you mean ${JSON.stringify(meant)}?`;
    return `${place.file}:${place.line}: the profile enables ${JSON.stringify(agentId)}, which no entry of agents.yaml leads to${guess}`;
  });
}

/** The work at its first call, and its promise at every one. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | undefined;
  return () => {
    promise ??= work();
    return promise;
  };
}
