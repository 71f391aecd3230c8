import { type Composable, composeJson } from '../../json/index.js';
import type { TracerWorld } from '../../trace/tracer.js';
import type { AgentCall } from '../agent.js';
import { composableOf } from './composable.js';
import { createContext, type DelegatePort } from './context.js';
import type { AgentDefinition } from './definition.js';
import type { AskPort } from './served-sources.js';
import { misuse } from './sources.js';

/** What a run needs of the world; `delegate` is left out where no other run can be asked for, `askDoor` where
 * there is no way to the doors. */
export interface RunWorld extends TracerWorld {
  readonly delegate?: DelegatePort;
  readonly askDoor?: AskPort;
}

/**
 * Runs an agent once and returns the members of its answer (contract 8): `result`, with model id and token counts summed from its
 * chat spans, and `spans`. Rejects with whatever the agent threw, or with GateError `agent-misuse`.
 */
export async function runCall(
  call: AgentCall,
  agent: { readonly definition: AgentDefinition; readonly world: RunWorld },
): Promise<Uint8Array> {
  const { definition, world } = agent;
  const { ctx, seal } = createContext(call, { payloadClass: definition.payload, world });
  const input = JSON.parse(call.request.get('input')?.text() ?? '{}') as Record<string, unknown>;
  const result = composableOf(await definition.run(ctx, input));
  const { spans, usage } = seal();
  if (!(result instanceof Map))
    throw misuse('run returned no result: return what ctx.succeeded, ctx.abstained or ctx.referred gives');
  const members = new Map<string, Composable>([...result, ...Object.entries(usage)]);
  return composeJson({ result: members, spans }, { indent: 0 });
}
