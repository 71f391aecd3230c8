import { closest, distance } from 'fastest-levenshtein';

/** The known word that is nearest to one that is not, if it differs in no more than a third of its letters. */
export function nearest(word: string, known: ReadonlySet<string>): string | null {
  const short = word.slice(0, LONGEST);
  if (known.size === 0) return null;
  const found = closest(short, [...known]);
  return distance(short, found) <= Math.max(1, Math.floor(found.length / 3)) ? found : null;
}

/** Names of agents are shorter; comparing takes time by the square of the length. */
const LONGEST = 200;
