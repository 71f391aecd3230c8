import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentDefinition } from '../agents/delegate/definition.js';

/** Loads a module and gives the agent that it exports by default; rejects with whatever the module throws, or a TypeError. */
export async function importAgent(module: string): Promise<AgentDefinition> {
  const { default: exported } = (await import(pathToFileURL(resolve(module)).href)) as { readonly default?: unknown };
  if (!isAgent(exported)) throw new TypeError('its default export is not an agent');
  return exported;
}

function isAgent(exported: unknown): exported is AgentDefinition {
  return typeof exported === 'object' && exported !== null && 'run' in exported && typeof exported.run === 'function';
}
