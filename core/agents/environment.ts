import { gateError } from '../model/error-codes.js';
import type { Place } from '../model/violation.js';

/** What every agent is given (contract 7); it can start nothing without PATH and find nothing without HOME. */
const ALWAYS = ['PATH', 'HOME', 'LANG'];

/** Variables that no agent may see (contract 7): they hold the runner's tokens, the Action's inputs and our own settings. */
const NEVER = /^(GITHUB|ACTIONS|INPUT|DD)_/i;

/** Whether no agent may see a variable of this name. */
export function isWithheld(name: string): boolean {
  return NEVER.test(name);
}

/** A variable that an entry of agents.yaml names under `env`. */
export interface NamedVariable {
  readonly name: string;
  readonly place: Place;
}

/**
 * The environment of an agent's process: PATH, HOME, LANG and what its entry names. Throws GateError `agent-environment` for a
 * named variable that is unset, or that no agent may see.
 */
export function agentEnvironment(
  named: readonly NamedVariable[],
  available: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const environment = new Map<string, string>();
  for (const name of ALWAYS) {
    const value = available.get(name);
    if (value !== undefined) environment.set(name, value);
  }
  for (const { name, place } of named) {
    if (isWithheld(name)) throw refused(`no agent may see ${name}`, 'give the agent a variable of another name', place);
    const value = available.get(name);
    if (value === undefined)
      throw refused(`the variable ${name} is not set`, `set ${name}, or remove it from env`, place);
    environment.set(name, value);
  }
  return environment;
}

function refused(message: string, remedy: string, place: Place): Error {
  return gateError('agent-environment', { blame: 'configuration', message, remedy, place });
}
