import { closest, distance } from 'fastest-levenshtein';

/**
 * The known word that is nearest to one that is not: it differs in no more than a third of its letters, or two letters that
 * stand side by side are swapped, or it alone goes on behind an underscore (`agent` for `agent_id`); null when there is none.
 */
export function nearest(word: string, known: ReadonlySet<string>): string | null {
  const short = word.slice(0, LONGEST);
  if (known.size === 0) return null;
  const found = closest(short, [...known]);
  if (distance(short, found) <= Math.max(1, Math.floor(found.length / 3))) return found;
  const swapped = [...known].find((one) => isSwapped(short, one));
  const [longer, ...others] = [...known].filter((one) => one.startsWith(`${short}_`));
  return swapped ?? (others.length === 0 ? longer : null) ?? null;
}

/** ` (did you mean "x"?)`, to stand behind an unknown word in a message; nothing when no known word is near. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const meant = nearest(word, new Set(known));
  return meant === null ? '' : ` (did you mean ${JSON.stringify(meant)}?)`;
}

/** Whether two words differ in one pair of neighbours alone, which counts as two letters otherwise. */
function isSwapped(word: string, other: string): boolean {
  if (word.length !== other.length) return false;
  let at = 0;
  while (at < word.length && word[at] === other[at]) at++;
  return other === `${word.slice(0, at)}${word[at + 1] ?? ''}${word[at] ?? ''}${word.slice(at + 2)}`;
}

/** Names of agents are shorter; comparing takes time by the square of the length. */
const LONGEST = 200;
