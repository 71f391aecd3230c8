import { UNRESOLVED_POLICIES, type UnresolvedPolicy } from '../model/report.js';
import type { SessionSettings } from '../runner/session.js';
import type { Call } from './command.js';
import { usage } from './options.js';

/** What a call works with; flags win over the environment, the environment over the defaults (contract 7). */
export interface Settings extends SessionSettings {
  readonly unresolved: UnresolvedPolicy;
}

/** Reads the settings of a call; throws GateError `usage` for a variable with a value that it cannot have. */
export function settingsOf(call: Call): Settings {
  const setting = (flag: string, variable: string): string | undefined =>
    call.options.text(flag) ?? variableOf(call, variable);
  const sources = setting('sources', 'DD_SOURCES_CONFIG');
  return {
    profile: setting('profile', 'DD_PROFILE') ?? 'profiles/default.yaml',
    sources: { sourcesPath: sources ?? 'sources.yaml', named: sources !== undefined },
    agents: setting('agents', 'DD_AGENTS_CONFIG') ?? 'agents.yaml',
    runs: setting('runs', 'DD_RUNS_DIR') ?? 'runs',
    unresolved: call.options.choice('unresolved', UNRESOLVED_POLICIES) ?? 'warn',
    writeCrate: writeCrateOf(call),
    environment: call.world.env,
  };
}

/** A variable of the environment; one that is set to nothing counts as unset, as shells make them so. */
export function variableOf(call: Call, name: string): string | undefined {
  const value = call.world.env[name];
  return value === '' ? undefined : value;
}

function writeCrateOf(call: Call): boolean {
  const value = variableOf(call, 'DD_WRITE_CRATE') ?? '1';
  if (value === '1' || value === '0') return value === '1';
  throw usage(`DD_WRITE_CRATE is ${JSON.stringify(value)}`, 'set it to 1 or 0');
}
