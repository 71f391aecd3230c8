import { MODEL_VARIABLES, type ModelGate, type Upstreams } from '../agents/model-gate.js';
import type { Door } from '../conductor/doors.js';
import type { Tokens } from '../conductor/grants.js';
import { modelDoor } from '../doors/model-door.js';
import { ModelRuns } from '../doors/model-runs.js';
import type { ModelServer } from '../io/model-server.js';
import type { Clock } from '../model/ports.js';

/** What the pass-through to models is made from. */
export interface ModelGateInit {
  readonly clock: Clock;
  readonly tokens: Tokens;
  /** Told of errors of ours, of which an agent learns no more than that there was one. */
  readonly onError: (error: unknown) => void;
}

/** The pass-through as agents and runs see it, and what closes its server. */
export interface OpenModelGate {
  readonly gate: ModelGate;
  readonly door: Door;
  close(): Promise<void>;
}

/** The pass-through to models (docs/witness.md); its server is started for the first agent whose entry names models. */
export function openModelGate({ clock, tokens, onError }: ModelGateInit): OpenModelGate {
  const runs = new ModelRuns(clock);
  let starting: Promise<ModelServer> | undefined;
  const start = async (): Promise<ModelServer> => {
    const { startModelServer } = await import('../io/model-server.js');
    return startModelServer(runs, { clock, onError });
  };
  return {
    gate: {
      async lane(upstreams) {
        starting ??= start();
        const { url } = await starting;
        const token = tokens.token();
        return { ...runs.open(token, upstreams), environment: environmentOf(upstreams, `${url}/${token}`) };
      },
    },
    door: modelDoor(runs),
    close: async () => (await starting)?.close(),
  };
}

function environmentOf(upstreams: Upstreams, base: string): ReadonlyMap<string, string> {
  return new Map(
    (['openai', 'anthropic'] as const).flatMap((provider): [string, string][] =>
      upstreams[provider] === undefined ? [] : [[MODEL_VARIABLES[provider], `${base}/${provider}`]],
    ),
  );
}
