import { nearest } from '../model/nearest.js';
import type { Place } from '../model/violation.js';
import type { Profile } from './profile.js';

/** An agent that a profile enables and nobody has registered. */
export interface UnknownAgent {
  readonly agentId: string;
  readonly place: Place;
  /** The registered agent whose name is so near that it may be meant; null when none is. */
  readonly meant: string | null;
}

/** The profile's entries for agents that are not among those known: each lets its author believe in a permission that nobody has. */
export function unknownAgents(profile: Profile, known: ReadonlySet<string>): readonly UnknownAgent[] {
  return [...profile.places].flatMap(([agentId, place]) =>
    known.has(agentId) ? [] : [{ agentId, place, meant: nearest(agentId, known) }],
  );
}

/** A class that a profile wants approved, and that no agent of it has although the name of one is near. */
export interface DoubtfulApproval {
  readonly actionClass: string;
  readonly place: Place;
  readonly meant: string;
}

/** Classes that are to be approved and look like another one's misspelling: runs of that other one need no approval. */
export function doubtfulApprovals(profile: Profile): readonly DoubtfulApproval[] {
  const classes = new Set(profile.agents.values());
  return [...profile.approvalPlaces].flatMap(([actionClass, place]) => {
    const meant = classes.has(actionClass) ? null : nearest(actionClass, classes);
    return meant === null || profile.actionsRequiringApproval.has(meant) ? [] : [{ actionClass, place, meant }];
  });
}
