/** The kinds of model server that a pass-through is offered for, with the variable that official clients read its address from. */
export const MODEL_VARIABLES = { openai: 'OPENAI_BASE_URL', anthropic: 'ANTHROPIC_BASE_URL' } as const;
export type ModelProvider = keyof typeof MODEL_VARIABLES;

/** The real model servers that an entry of agents.yaml names under `models`, each as the base address that its clients take. */
export type Upstreams = Readonly<Partial<Record<ModelProvider, string>>>;

/** `models` of an entry. */
export interface ModelSettings {
  readonly upstreams: Upstreams;
  /** Whether the service sends the traceparent that it was called with along with each of its model calls. */
  readonly traceparent: boolean;
}

/**
 * How the model calls of an agent's runs are told apart: each process serves one run at a time, a service takes runs that must be
 * witnessed one by one, or it sends their traceparent along.
 */
export type ModelAttribution = 'by-process' | 'by-turn' | 'by-traceparent';

/** The way of one process, or of one service, to its models. */
export interface ModelLane {
  /** The variables that it finds the pass-through by. */
  readonly environment: ReadonlyMap<string, string>;
  /** It is called for a run, which is named by the W3C traceparent of its root span, until the returned function is called. */
  enter(traceparent: string): () => void;
  /** From now on nothing is passed through. */
  close(): void;
}

/** Where lanes come from; the real one is core/runner/model-gate.ts. */
export interface ModelGate {
  /** Rejects with GateError `address-unavailable` when no address of this machine can be had. */
  lane(upstreams: Upstreams): Promise<ModelLane>;
}

/** The gate of a world whose entries may name models; without one, they would be called past us. */
export function gateOf({ models }: { readonly models?: ModelGate }): ModelGate {
  if (models === undefined) throw new Error('an entry names models, and there is no pass-through for them here');
  return models;
}
