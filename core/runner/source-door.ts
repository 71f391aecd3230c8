import type { AgentRegistry } from '../agents/agent.js';
import type { Door } from '../conductor/doors.js';
import type { Tokens } from '../conductor/grants.js';
import { LiveRuns } from '../doors/live-runs.js';
import { SourceService } from '../doors/source-service.js';
import type { SourceServer } from '../io/source-server.js';
import { gateError } from '../model/error-codes.js';
import type { Clock } from '../model/ports.js';
import type { SourceCopies } from '../sources/index.js';

/** What the doors to the pinned copies are made from. */
export interface SourceDoorInit {
  readonly copies: SourceCopies;
  readonly clock: Clock;
  readonly tokens: Tokens;
  /** Told of errors of ours, of which an agent learns no more than that there was one. */
  readonly onError: (error: unknown) => void;
}

/** The door, and what closes its server once no run is left. */
export interface SourceDoor {
  readonly door: Door;
  close(): Promise<void>;
}

/**
 * The doors to the pinned copies (docs/witness.md): opened for every run of a `retrieval` agent whose entry lists snapshots, under a token
 * of its own. The server is started for the first such run, and stays for the others.
 */
export function sourceDoor({ copies, clock, tokens, onError }: SourceDoorInit): SourceDoor {
  const runs = new LiveRuns();
  let starting: Promise<SourceServer> | undefined;
  const server = (): Promise<SourceServer> => {
    starting ??= start();
    return starting;
  };
  const start = async (): Promise<SourceServer> => {
    const { startSourceServer } = await import('../io/source-server.js');
    return startSourceServer(runs, { clock, onError });
  };
  return {
    door: {
      async open({ agent, witness }) {
        const allowed = agent.sources ?? [];
        if (allowed.length === 0 || agent.specification.groundingMode !== 'retrieval') return null;
        const { url } = await server();
        const token = tokens.token();
        const { nextTurn } = await import('../io/source-server.js');
        const end = runs.admit(token, new SourceService({ copies, allowed, witness, clock, turn: nextTurn }));
        return { sources: { url, token }, close: async () => end() };
      },
    },
    close: async () => (await starting)?.close(),
  };
}

/**
 * Refuses entries whose agents would be served nothing: a snapshot of which no copy is pinned, or an agent of another mode than
 * `retrieval`. Throws GateError `agent-sources`.
 */
export function refuseUselessSources(
  registry: AgentRegistry,
  { copies, file }: { readonly copies: SourceCopies; readonly file: string },
): void {
  for (const { specification, sources = [] } of registry.agents.values()) {
    const { agentId, groundingMode } = specification;
    if (sources.length > 0 && groundingMode !== 'retrieval')
      throw gateError('agent-sources', {
        blame: 'configuration',
        message: `the agent ${agentId} is to be served sources, and its mode is ${groundingMode}, not retrieval`,
        remedy: 'remove sources at the agent’s entry',
        place: { file },
      });
    const unpinned = sources.find((ref) => copies.copyFor(ref) === undefined);
    if (unpinned === undefined) continue;
    throw gateError('agent-sources', {
      blame: 'configuration',
      message: `the agent ${agentId} is to be served the snapshot ${JSON.stringify(unpinned)}, of which no copy is pinned`,
      remedy: 'pin it with `grounding pin`, or remove it from sources at the agent’s entry',
      place: { file },
    });
  }
}
