import { closest, distance } from 'fastest-levenshtein';
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

/** The known word that is nearest to one that is not, if it differs in no more than a third of its letters. */
export function nearest(word: string, known: ReadonlySet<string>): string | null {
  const short = word.slice(0, LONGEST);
  if (known.size === 0) return null;
  const found = closest(short, [...known]);
  return distance(short, found) <= Math.max(1, Math.floor(found.length / 3)) ? found : null;
}

/** Names of agents are shorter; comparing takes time by the square of the length. */
const LONGEST = 200;
