import type { Agent, AgentRegistry } from '../agents/agent.js';
import type { SchemaChecker } from '../contract/ports.js';
import type { Clock } from '../model/ports.js';
import type { Principal } from '../model/principal.js';
import type { Profile } from '../policy/index.js';
import type { SourceCopies } from '../sources/index.js';
import type { AcceptedRequest } from './accept-request.js';
import type { Grant, Grants } from './grants.js';
import type { Projects, RunStore, RunTrace, Tracer } from './ports.js';

/** Everything that the conductor works with; it holds no state of its own. */
export interface ConductorDeps {
  readonly profile: Profile;
  readonly registry: AgentRegistry;
  readonly copies: SourceCopies;
  readonly schemas: SchemaChecker;
  readonly store: RunStore;
  /** Must read the same clock, so that an agent's spans nest. */
  readonly tracer: Tracer;
  readonly clock: Clock;
  /** Whether runs get a crate (DD_WRITE_CRATE). */
  readonly writeCrate: boolean;
  /** Left out where no run may delegate. */
  readonly grants?: Grants;
  /** Left out where no run belongs to a project. */
  readonly projects?: Projects;
}

/** One run while it is being worked on. */
export interface RunContext {
  readonly deps: ConductorDeps;
  readonly agent: Agent;
  readonly accepted: AcceptedRequest;
  readonly principal: Principal;
  readonly trace: RunTrace;
  /** What the agent may delegate with; null when it may not. */
  readonly grant: Grant | null;
  /** RFC 3339: when the request was accepted. */
  readonly startedAt: string;
}
