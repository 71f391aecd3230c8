import { dirname, join } from 'node:path';
import type { Agent, AgentRegistry } from '../agents/agent.js';
import type { StartAgentProcess } from '../agents/agent-process.js';
import { isWithheld } from '../agents/environment.js';
import { isolationRefusal } from '../agents/isolation.js';
import type { ModelGate } from '../agents/model-gate.js';
import { type AgentEntry, parseAgentsConfig } from '../agents/parse-agents-config.js';
import { duplicateAgent, openAgents, type RegistryWorld } from '../agents/registry.js';
import { unavailableText } from '../agents/unavailable-text.js';
import { startAgentProcess } from '../io/agent-process.js';
import { httpClient } from '../io/http-client.js';
import { namespaceIsolator } from '../io/isolation.js';
import { offlineProcess } from '../io/offline-process.js';
import { serviceStarter } from '../io/service-process.js';
import { gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import { readConfigFile } from './config-file.js';
import type { SessionSettings } from './session.js';

/** The folder beside the runs that keeps what services print. */
const LOGS = 'agent-logs';

type RegistrySettings = Pick<SessionSettings, 'agents' | 'environment' | 'runs'> & { readonly models?: ModelGate };

/**
 * Starts the module agents of agents.yaml once more, each without a network; services run where they please and are
 * listed as unavailable. Throws as `openRegistry` does, and GateError `offline-unavailable` where the system refuses.
 */
export async function openOfflineRegistry(settings: RegistrySettings): Promise<AgentRegistry> {
  const start = offlineProcess();
  const entries = entriesOf(settings);
  // Without a network an agent reaches no door, and needs no other place.
  const modules = entries
    .filter(({ kind }) => kind === 'module')
    .map((entry): AgentEntry => ({ ...entry, models: null, isolation: null }));
  const registry = await openAgents(modules, worldOf(settings, start));
  const services = entries.flatMap(({ kind, label }) =>
    kind === 'service' ? [{ label, reason: 'it is a service, which cannot be started without a network' }] : [],
  );
  return { ...registry, unavailable: [...registry.unavailable, ...services] };
}

/**
 * Starts the agents of agents.yaml; the caller closes what it gets. Throws GateError `agents-none` when not one can be
 * reached, since nothing could be judged then.
 */
export async function openRegistry(settings: RegistrySettings): Promise<AgentRegistry> {
  const { agents: file } = settings;
  const registry = await openAgents(entriesOf(settings), worldOf(settings, startAgentProcess));
  if (registry.agents.size > 0) return registry;
  const reasons = [
    ...registry.unavailable.map(unavailableText),
    ...registry.incompatible.map(({ label, theirs, ours }) => `${label}: made for contract ${theirs}, this is ${ours}`),
  ];
  throw gateError('agents-none', {
    blame: 'configuration',
    message: reasons.length === 0 ? 'no agent is registered' : `no agent can be reached (${reasons.join('; ')})`,
    remedy: 'register one that can be reached',
    place: { file },
  });
}

/** An entry whose agent cannot run isolated here as it should, and why. */
export interface OpenEntry {
  readonly entry: AgentEntry;
  readonly reason: string;
}

/** Every agent that could be reached, and the refusal of every entry that led to none, each for itself. */
export interface OpenedEach {
  readonly registry: AgentRegistry;
  readonly faults: readonly GateError[];
  readonly notIsolated: readonly OpenEntry[];
}

/**
 * Starts every agent of agents.yaml, whatever becomes of the others; the caller closes what it gets. Throws what reading
 * agents.yaml throws.
 */
export async function openEachAgent(settings: RegistrySettings): Promise<OpenedEach> {
  // None of them is called, so that nothing has to pass to a model.
  const world = worldOf({ ...settings, models: settings.models ?? NO_MODELS }, startAgentProcess);
  const entries = entriesOf(settings);
  const faults: GateError[] = [];
  const opened: AgentRegistry[] = [];
  const agents = new Map<string, Agent>();
  for (const entry of entries) {
    try {
      const registry = await openAgents([entry], world);
      opened.push(registry);
      for (const [id, agent] of registry.agents) {
        if (agents.has(id)) faults.push(duplicateAgent({ id, entry }));
        else agents.set(id, agent);
      }
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      faults.push(error);
    }
  }
  const registry = {
    agents,
    unavailable: opened.flatMap(({ unavailable }) => unavailable),
    incompatible: opened.flatMap(({ incompatible }) => incompatible),
    close: async () => void (await Promise.all(opened.map((one) => one.close()))),
  };
  const notIsolated = entries.flatMap((entry): OpenEntry[] => {
    const reason = isolationRefusal(entry, world.isolator);
    return reason === null ? [] : [{ entry, reason }];
  });
  return { registry, faults, notIsolated };
}

/** Lanes that lead nowhere, for agents that are only asked what they are. */
const NO_MODELS: ModelGate = {
  lane: async () => ({ environment: new Map(), enter: () => () => {}, close: () => {} }),
};

/** Seconds in which a service that runs without us is asked what it is before a replay, which is to be fast. */
const REPLAY_TIMEOUT_S = 5;

/**
 * Starts the agents of agents.yaml to learn what they declare today; none of them is called. Variables that are not set are left
 * out, since they are mostly what a call needs, and a service that cannot be reached is listed as unavailable.
 */
export async function openReplayRegistry(settings: RegistrySettings): Promise<AgentRegistry> {
  const { environment } = settings;
  const isSet = ({ name }: { readonly name: string }): boolean => environment[name] !== undefined || isWithheld(name);
  const entries = entriesOf(settings).map((entry): AgentEntry => {
    const known = { ...entry, env: entry.env.filter(isSet) };
    if (known.kind === 'module' || known.start !== null) return known;
    return { ...known, timeoutS: Math.min(known.timeoutS, REPLAY_TIMEOUT_S) };
  });
  return openAgents(entries, worldOf(settings, startAgentProcess));
}

function entriesOf({ agents: file }: RegistrySettings): readonly AgentEntry[] {
  return parseAgentsConfig(readConfigFile(file, 'write one, let grounding init do so, or name another with --agents'), {
    file,
  });
}

function worldOf({ environment, runs, models }: RegistrySettings, start: StartAgentProcess): RegistryWorld {
  const available = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const logs = join(dirname(runs), LOGS);
  return {
    start,
    isolator: namespaceIsolator({ logs }),
    ...(models === undefined ? {} : { models }),
    http: httpClient,
    services: serviceStarter({ logs }),
    environment: new Map(available),
  };
}
