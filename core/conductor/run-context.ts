import type { Agent, AgentRegistry } from '../agents/agent.js';
import type { SchemaChecker } from '../contract/ports.js';
import type { Clock } from '../model/ports.js';
import type { Principal } from '../model/principal.js';
import type { Profile } from '../policy/index.js';
import type { SourceCopies } from '../sources/index.js';
import type { AcceptedRequest } from './accept-request.js';
import type { Door } from './doors.js';
import type { Grant, Grants } from './grants.js';
import type { Projects, RunStore, RunTrace, Tracer } from './ports.js';
import type { RunWitness } from './witness.js';

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
  /** What agents get at things by, each seen by the conductor; left out where there is none. */
  readonly doors?: readonly Door[];
  /** Left out where no run belongs to a project. */
  readonly projects?: Projects;
  /** Lets some of the runs whose agents have answered through at a time; left out where all may. */
  readonly finishing?: <Value>(work: () => Promise<Value>) => Promise<Value>;
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
  /** The token that the run was asked for with; left out for one that was not delegated. */
  readonly token?: string;
  /** What the doors saw. */
  readonly witness: RunWitness;
  /** Whether the run has to be witnessed (rules W1 and W2). */
  readonly witnessed: boolean;
  /** RFC 3339: when the request was accepted. */
  readonly startedAt: string;
}
