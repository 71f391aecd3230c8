import type { Principal } from '../core/index.js';
import type { Trigger } from './events.js';
import type { RunnerContext } from './runner-context.js';

/** For whom the runs are made: the workflow's actor, and on a schedule the repository, since nobody asked (contract 7). */
export function principalOf(trigger: Trigger, context: RunnerContext): Principal {
  if (trigger.kind === 'commit' && trigger.scheduled) {
    const name = `${context.owner}/${context.repo}`;
    return {
      principalId: `${context.serverUrl}/${name}`,
      name,
      principalKind: 'accountable_role',
      assurance: 'asserted',
    };
  }
  // An app's login ends in [bot], and a bracket stands in no path of an address.
  const principalId = `${context.serverUrl}/${encodeURIComponent(context.actor)}`;
  return { principalId, name: context.actor, principalKind: 'person', assurance: 'asserted' };
}
