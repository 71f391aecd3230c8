// @ts-check
// What the registry holds, searched by words (BM25) and subjects. The search only proposes: what is recommended is then
// read record by record, inside a retrieval span each.
import MiniSearch from 'minisearch';
import { contentWords } from '../words.js';

/**
 * @typedef {import('./schemas.js').DatasetProfile} DatasetProfile
 * @typedef {{ fairsharing_id: string, numeric_id: string, name: string, abbreviation: string | null, status: string,
 *   description: string, subjects: string[], domains: string[], source_uri: string }} Entry
 * @typedef {{ entry: Entry, score: number, matched_words: string[], shared_subjects: string[] }} Candidate
 */

/** A standard that nobody should start to use. */
const DEPRECATED = 'deprecated';

/** How far a status is trusted; others than these are left out like a deprecated one. */
const STATUS_WEIGHTS = new Map([
  ['ready', 1],
  ['in_development', 0.6],
  ['uncertain', 0.5],
]);

/** What a shared subject is worth beside the words; about as much as one rare word in a description. */
const SUBJECT_BONUS = 3;

/** A subject that fits every dataset tells nothing. */
const NO_SUBJECT = 'subject agnostic';

/** Below this, a match rests on one common word; chosen on the 18 records of the selection. */
export const FLOOR_SCORE = 6;

/** Words that half of a registry of standards shares. */
const OF_THE_TRADE = new Set(['file', 'format', 'language', 'metadata', 'science', 'standard', 'text', 'vocabulary']);

const FIELDS = ['name', 'abbreviation', 'description', 'subjects', 'domains'];

/**
 * Whether a record may be recommended at all.
 *
 * @param {{ status: string }} record
 */
export function isUsable({ status }) {
  return status !== DEPRECATED && STATUS_WEIGHTS.has(status);
}

/**
 * Prepares a search over the entries of a registry.
 *
 * @param {readonly Entry[]} entries
 * @returns {(profile: DatasetProfile) => Candidate[]} candidates above the floor, the best first
 */
export function catalogueOf(entries) {
  const usable = entries.filter(isUsable);
  const byId = new Map(usable.map((entry) => [entry.fairsharing_id, entry]));
  const index = new MiniSearch({
    idField: 'fairsharing_id',
    fields: FIELDS,
    tokenize: tellingWords,
    processTerm: (term) => term,
    extractField: (entry, field) => [entry[/** @type {keyof Entry} */ (field)] ?? ''].flat().join(' '),
    searchOptions: { boost: { name: 2, abbreviation: 3, subjects: 1.5 }, combineWith: 'OR' },
  });
  index.addAll(usable);

  return (profile) => {
    const words = index.search(textOf(profile));
    return words
      .flatMap(({ id, score, terms }) => {
        const entry = byId.get(id);
        return entry === undefined ? [] : [candidateOf(entry, { score, terms, profile })];
      })
      .filter(({ score }) => score >= FLOOR_SCORE)
      .sort((a, b) => b.score - a.score || (a.entry.fairsharing_id < b.entry.fairsharing_id ? -1 : 1));
  };
}

/**
 * Whether a profile says anything that can be searched for.
 *
 * @param {DatasetProfile} profile
 */
export function isEmpty(profile) {
  return tellingWords(textOf(profile)).length === 0;
}

/**
 * @param {Entry} entry
 * @param {{ score: number, terms: string[], profile: DatasetProfile }} match
 * @returns {Candidate}
 */
function candidateOf(entry, { score, terms, profile }) {
  const wanted = new Set((profile.subjects ?? []).map((subject) => subject.toLowerCase()));
  const shared = entry.subjects.filter((subject) => {
    const name = subject.toLowerCase();
    return name !== NO_SUBJECT && wanted.has(name);
  });
  const weight = STATUS_WEIGHTS.get(entry.status) ?? 0;
  const total = weight * (score + SUBJECT_BONUS * shared.length);
  // A word of its name would name the record outside grounded_on.
  const own = new Set(tellingWords(`${entry.name} ${entry.abbreviation ?? ''}`));
  const matched_words = terms.filter((term) => !own.has(term)).sort();
  return { entry, score: Math.round(total * 100) / 100, matched_words, shared_subjects: shared };
}

/** @param {string} text */
function tellingWords(text) {
  return contentWords(text).filter((word) => !OF_THE_TRADE.has(word));
}

/** @param {DatasetProfile} profile */
function textOf({ title = '', description = '', keywords = [], subjects = [], formats = [] }) {
  return [title, description, ...keywords, ...subjects, ...formats].join(' ');
}
