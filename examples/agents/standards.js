// @ts-check
// Recommends metadata standards for a dataset: it searches the registry by words and subjects, reads the best matches one
// by one, and grounds each recommendation on the record that it read.
import { defineAgent } from 'grounding-gate/agent';
import { catalogueOf, isEmpty, isUsable } from './standards/catalogue.js';
import { ENTRIES, recordOf } from './standards/registry.js';
import { DATASET_PROFILE, STANDARD_ADVICE } from './standards/schemas.js';

/** @typedef {import('./standards/catalogue.js').Candidate} Candidate */

const AT_MOST = 3;
const search = catalogueOf(ENTRIES);

export default defineAgent({
  agent_id: 'advisor.standards',
  version: '0.1.0',
  description: 'Recommends metadata standards from FAIRsharing for a dataset profile.',
  action_class: 'advise',
  accepts: ['DatasetProfile'],
  grounding_mode: 'retrieval',
  payload: 'StandardAdvice',
  derivations: {
    'recommendations.score': { how: 'lexical', recorded_in: null },
    'recommendations.rationale': { how: 'template', recorded_in: null },
    'recommendations.matched_words': { how: 'lexical', recorded_in: null },
    'recommendations.shared_subjects': { how: 'registry', recorded_in: null },
  },
  schemas: { DatasetProfile: DATASET_PROFILE, StandardAdvice: STANDARD_ADVICE },

  async run(ctx, /** @type {import('./standards/schemas.js').DatasetProfile} */ profile) {
    if (isEmpty(profile)) {
      return ctx.abstained({
        statement: 'The profile says nothing about the dataset.',
        reason_code: 'insufficient_input',
      });
    }
    const candidates = search(profile).slice(0, profile.at_most ?? AT_MOST);
    const read = [];
    for (const candidate of candidates) {
      const { source, read: readRecord } = recordOf(candidate.entry, process.env['FAIRSHARING_URL']);
      try {
        // Where the conductor serves the pinned selection, what is read there is witnessed.
        const record =
          ctx.sources === null || source.snapshot_ref === undefined
            ? await ctx.retrieval(source, readRecord)
            : await ctx.sources.fetch(source.snapshot_ref, source.source_id, source);
        read.push({ candidate, record });
      } catch {
        return ctx.abstained({ statement: 'The registry could not be read.', reason_code: 'registry_unavailable' });
      }
    }
    // A live record may have been deprecated since the selection was made.
    const advised = read.filter(({ record }) => isUsable(statusOf(record.record)));
    if (advised.length === 0) {
      return ctx.abstained({
        statement: 'No standard fits the profile well enough.',
        reason_code: 'no_qualifying_resource',
      });
    }
    return ctx.succeeded({
      statement:
        advised.length === 1 ? 'One standard fits the profile.' : `${advised.length} standards fit the profile.`,
      payload: {
        recommendations: advised.map(({ candidate, record }, i) => ({
          rank: i + 1,
          score: candidate.score,
          rationale: rationaleOf(candidate),
          matched_words: candidate.matched_words,
          shared_subjects: candidate.shared_subjects,
          grounded_on: [ctx.cite(record)],
        })),
        grounded_on: advised.map(({ record }) => ctx.cite(record)),
      },
    });
  },
});

/** @param {unknown} record as the registry gave it: with its own text, or flattened @returns {{ status: string }} */
function statusOf(record) {
  const value = /** @type {any} */ (record);
  return value.value ?? value;
}

/** @param {Candidate} candidate */
function rationaleOf({ matched_words, shared_subjects }) {
  const subjects = `the ${shared_subjects.length === 1 ? 'subject' : 'subjects'} ${shared_subjects.join(', ')}`;
  const words = `the ${matched_words.length === 1 ? 'word' : 'words'} ${matched_words.join(', ')}`;
  if (matched_words.length === 0 && shared_subjects.length === 0) return 'The profile asks for it by name.';
  if (matched_words.length === 0) return `Shares ${subjects} with the profile.`;
  return `Shares ${words}${shared_subjects.length === 0 ? '' : ` and ${subjects}`} with the profile.`;
}
