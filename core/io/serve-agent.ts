import { answerCall, failedAnswer } from '../agents/a2a/answer-call.js';
import { composeCard } from '../agents/a2a/compose-card.js';
import { type AgentDefinition, specificationOf } from '../agents/delegate/definition.js';
import { parseSpecification } from '../agents/parse-specification.js';
import { type RunningServer, startA2aServer } from './a2a-server.js';
import { runWorld } from './run-world.js';
import { createSchemaProcess } from './schema-process.js';
import { StrayErrors } from './stray-errors.js';

/** Where an agent is served. */
export interface ServeOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** 127.0.0.1 unless it is given. */
  readonly host?: string;
  /** Origins of the harnesses that this agent may delegate through, when they are not on this machine. */
  readonly harnesses?: readonly string[];
}

/** How an agent is served by a process that does nothing else. */
export interface ServeAloneOptions extends ServeOptions {
  /** Told of what the agent's code throws where nobody catches it. */
  readonly onStray: (error: unknown) => void;
}

/** An agent while it is served. */
export type ServedAgentHandle = RunningServer;

/**
 * Serves an agent over A2A (contract 8). Rejects with a GateError of blame `configuration`: `agent-specification` when what the agent
 * declares is faulty, `address-unavailable` when the address cannot be had.
 */
export function serveAgent(definition: AgentDefinition, options: ServeOptions): Promise<ServedAgentHandle> {
  return serve(definition, { options, during: (work) => work() });
}

/** The same for a process that does nothing else: what its code throws where nobody catches it fails a call, and not the process. */
export async function serveAgentAlone(
  definition: AgentDefinition,
  { onStray, ...options }: ServeAloneOptions,
): Promise<ServedAgentHandle> {
  const strays = new StrayErrors(onStray);
  try {
    const { url, close } = await serve(definition, { options, during: (work) => strays.during(work) });
    return { url, close: () => close().finally(() => strays.close()) };
  } catch (error) {
    strays.close();
    throw error;
  }
}

interface Serving {
  readonly options: ServeOptions;
  /** Does the work of a call. */
  readonly during: <Value>(work: () => Promise<Value>) => Promise<Value>;
}

async function serve(definition: AgentDefinition, { options, during }: Serving): Promise<ServedAgentHandle> {
  const declared = specificationOf(definition);
  const specification = parseSpecification(declared, { label: String(definition.agent_id) });
  const { agentId, description, version } = specification;
  const schemas = createSchemaProcess();
  const served = { definition, specification, world: runWorld(), schemas, harnesses: new Set(options.harnesses) };
  try {
    const server = await startA2aServer(
      {
        card: (url) => composeCard({ name: agentId, description, version, url, specification: declared }),
        answer: (message) => during(() => answerCall(message, served)).catch(failedAnswer),
      },
      { host: options.host ?? '127.0.0.1', port: options.port },
    );
    return {
      url: server.url,
      async close() {
        await server.close();
        await schemas.close();
      },
    };
  } catch (error) {
    await schemas.close();
    throw error;
  }
}
