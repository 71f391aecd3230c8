import type { ServiceStarter } from './a2a/service-process.js';
import type { StartAgentProcess } from './agent-process.js';
import type { AgentEntry } from './parse-agents-config.js';

/** Starts agents in a place that holds no network but our doors; the real one is core/io/isolation.ts. */
export interface Isolator {
  /** Why this machine has no such place; null when it has. */
  refusal(): string | null;
  readonly start: StartAgentProcess;
  readonly services: ServiceStarter;
}

/** How an entry's agent is started: in such a place, outside because its entry allows that as well, outside since nobody asked, or not at all. */
export type Place =
  | { readonly kind: 'isolated' }
  | { readonly kind: 'open'; readonly isolated?: false }
  | { readonly kind: 'refused'; readonly reason: string };

/** Where an entry's agent may be started (`isolate` in agents.yaml). */
export function placeOf(entry: AgentEntry, isolator: Isolator | undefined): Place {
  if (entry.isolation === null) return { kind: 'open' };
  const refusal = refusalOf(entry, isolator);
  if (refusal === null) return { kind: 'isolated' };
  if (entry.isolation === 'if-possible') return { kind: 'open', isolated: false };
  return { kind: 'refused', reason: `it has to run isolated, and cannot: ${refusal}` };
}

function refusalOf(entry: AgentEntry, isolator: Isolator | undefined): string | null {
  if (entry.kind === 'service' && entry.start === null) return 'it is a service that runs without us';
  if (entry.kind === 'service' && !isOnLoopback(entry.url)) return 'its url is no plain http address of this machine';
  return isolator === undefined ? 'agents are not isolated here' : isolator.refusal();
}

/** Why an agent that is to run isolated cannot, wherever it then runs; null for any other. */
export function isolationRefusal(entry: AgentEntry, isolator: Isolator | undefined): string | null {
  return entry.isolation === null ? null : refusalOf(entry, isolator);
}

/** Inside there is no other network, and nobody to keep a certificate for. */
function isOnLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
