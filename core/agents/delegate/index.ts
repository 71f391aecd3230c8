/**
 * The library that an agent imports as `grounding-gate/agent`. A module exports one agent by default:
 *
 *     import { defineAgent } from 'grounding-gate/agent';
 *     export default defineAgent({ agent_id, version, …, grounding_mode: 'retrieval', async run(ctx, input) {
 *       const read = await ctx.retrieval({ source_id, canonicalisation, snapshot_ref }, () => fetchRecord(source_id));
 *       return ctx.succeeded({ statement: '…', payload: { text: '…', grounded_on: [ctx.cite(read)] } });
 *     } });
 *
 * Citations are made from what `ctx` returned, so that a result can only name what the run read. A payload names records
 * in `grounded_on` alone; what the reader is shown about them is the evidence.
 */

export type { ServedAgentHandle, ServeOptions } from '../../io/serve-agent.js';
export type { ReasonCode } from '../../model/outcome.js';
export type { GroundingMode } from '../../model/report.js';
export type { AgentContext, Delegated, RetrievalOptions } from './context.js';
export { type AgentDefinition, type DerivationDeclaration, defineAgent } from './definition.js';
export { type JsonText, readJson, readJsonArray, readJsonLines } from './json-text.js';
export type { AgentResult, Payload } from './outcomes.js';
export type { FetchOptions, McpAddress, SearchHit, ServedSources } from './served-sources.js';
export type { EvidenceItem, GroundingReference, Retrieved, Source } from './sources.js';
export type { Usage } from './usage.js';

/**
 * Serves an agent over A2A (contract 8) until the handle is closed: its card at `/.well-known/agent-card.json`, calls at `/a2a`. Rejects
 * with a GateError of blame `configuration` when the agent declares something faulty or the address cannot be had.
 */
export const serveAgent: typeof import('../../io/serve-agent.js').serveAgent = async (agent, options) => {
  // Loaded when an agent is served: an agent that runs in a process of ours needs none of it.
  const library = await import('../../io/serve-agent.js');
  return library.serveAgent(agent, options);
};
