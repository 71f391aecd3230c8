import type { Agent, SourceAccess } from '../agents/agent.js';
import type { RunWitness, Witness } from './witness.js';

/** The run that a door is opened for. */
export interface DoorRun {
  readonly agent: Agent;
  readonly invocationId: string;
  /** W3C traceparent of the run's root span. */
  readonly traceparent: string;
  /** Whether the run has to be witnessed. */
  readonly required: boolean;
  /** Where the door reports what it serves to this run. */
  readonly witness: Witness;
}

/** A door that stands open for one run. */
export interface OpenDoor {
  /** What the agent is told, when this is the door to the pinned copies. */
  readonly sources?: SourceAccess;
  /** Shuts the door at once; resolves when nothing that was let in before is under way. Called once, when the agent has answered. */
  close(): Promise<void>;
}

/**
 * A way in which agents get at something while they run, and which sees what they get: pinned copies, a model. `open` is called
 * before the agent is, and gives null for an agent that the door is not for. The real ones are in core/io.
 */
export interface Door {
  open(run: DoorRun): Promise<OpenDoor | null>;
}

/** All doors of one run. */
export interface OpenDoors {
  readonly sources?: SourceAccess;
  /** Shuts the doors; from then on nothing is written of this run. A second call does nothing more. */
  close(): Promise<void>;
}

/** Opens every door for a run; when one cannot be opened, those that were are shut again and the error goes on. */
export async function openDoors(
  doors: readonly Door[],
  run: Omit<DoorRun, 'witness'> & { readonly witness: RunWitness },
): Promise<OpenDoors> {
  const opened: OpenDoor[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((door) => door.close()));
    run.witness.close();
  };
  try {
    for (const door of doors) {
      const open = await door.open(run);
      if (open !== null) opened.push(open);
    }
  } catch (error) {
    await close();
    throw error;
  }
  if (opened.length > 0) run.witness.offer();
  const sources = opened.find((door) => door.sources !== undefined)?.sources;
  return { ...(sources === undefined ? {} : { sources }), close };
}
