import { quoted, shortHash } from '../model/wording.js';
import type { Pair } from './citation.js';

/** How a message names an id with its hash. */
export function cited(pair: Pair): string {
  return `${quoted(pair.sourceId)} (${shortHash(pair.contentHash)})`;
}
