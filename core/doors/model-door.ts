import type { Door } from '../conductor/doors.js';
import type { ModelRuns } from './model-runs.js';
import { Turnstile } from './turnstile.js';

/**
 * Lets the model calls of runs through while they are in progress (docs/witness.md). A service of which nobody could say which run a
 * call is for is called for a run that has to be witnessed when it works on no other; the wait is none of the run's own time.
 */
export function modelDoor(runs: ModelRuns): Door {
  const turns = new Map<string, Turnstile>();
  return {
    async open({ agent, traceparent, witness, required }) {
      const { models, specification } = agent;
      if (models === undefined) return null;
      const turn = turns.get(specification.agentId) ?? new Turnstile();
      turns.set(specification.agentId, turn);
      const leave = await turn.enter(models === 'by-turn' && required);
      const end = runs.admit(traceparent, { witness, required });
      return {
        close: async () => {
          end();
          leave();
        },
      };
    },
  };
}
