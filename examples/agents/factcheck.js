// @ts-check
// Checks a claim about a data standard against a small collection of sentences. Purely lexical: it says which words of
// the claim the sentence bears out and which it does not, and leaves the judgement to the reader.
import { readFileSync } from 'node:fs';
import { defineAgent, readJsonArray } from 'grounding-gate/agent';
import { classSchema, groundedOn, text, texts } from './class-schema.js';
import { contentWords } from './words.js';

/** @typedef {{ claim: string }} Claim */
/** @typedef {{ fact_id: string, names: string[], sentence: string, address: string }} Fact */

const FACTS = readJsonArray(readFileSync(new URL('../sources/facts.json', import.meta.url), 'utf8'));
const SNAPSHOT = 'facts:2026-11';

export default defineAgent({
  agent_id: 'example.factcheck',
  version: '0.1.0',
  description: 'Says which words of a claim about a data standard are borne out by a collection of checked sentences.',
  action_class: 'verify',
  accepts: ['Claim'],
  grounding_mode: 'retrieval',
  payload: 'FactCheck',
  derivations: {
    verdict: { how: 'lexical', recorded_in: null },
    words_borne_out: { how: 'lexical', recorded_in: null },
    words_not_found: { how: 'lexical', recorded_in: null },
  },
  schemas: {
    Claim: classSchema('Claim', { claim: text }, ['claim']),
    FactCheck: classSchema(
      'FactCheck',
      {
        verdict: { type: 'string', enum: ['borne_out', 'partly_borne_out', 'not_borne_out'] },
        words_borne_out: texts,
        words_not_found: texts,
        grounded_on: groundedOn,
      },
      ['verdict', 'words_borne_out', 'words_not_found', 'grounded_on'],
    ),
  },

  async run(ctx, /** @type {Claim} */ { claim }) {
    const words = contentWords(claim);
    if (words.length === 0) {
      return ctx.abstained({ statement: 'The claim says nothing.', reason_code: 'insufficient_input' });
    }
    const named = FACTS.filter((fact) => isNamedIn(factOf(fact), claim));
    if (named.length === 0) {
      return ctx.abstained({
        statement: 'The claim names no standard of the collection.',
        reason_code: 'no_candidates_retrieved',
      });
    }
    const read = [];
    for (const fact of named) {
      const source = { source_id: factOf(fact).fact_id, snapshot_ref: SNAPSHOT, source_uri: factOf(fact).address };
      read.push(await ctx.retrieval({ ...source, canonicalisation: 'dd-json-document-v1' }, () => fact));
    }
    const known = new Set(
      read.flatMap(({ record }) => contentWords(`${factOf(record).names.join(' ')} ${factOf(record).sentence}`)),
    );
    const found = words.filter((word) => known.has(word));
    return ctx.succeeded({
      statement: `The collection bears out ${found.length} of ${words.length} words of the claim.`,
      payload: {
        verdict: verdictOf(found.length, words.length),
        words_borne_out: found,
        words_not_found: words.filter((word) => !known.has(word)),
        grounded_on: read.map((source) => ctx.cite(source)),
      },
    });
  },
});

/** @param {import('grounding-gate/agent').JsonText} record @returns {Fact} */
function factOf(record) {
  return /** @type {Fact} */ (record.value);
}

/** @param {Fact} fact @param {string} claim */
function isNamedIn(fact, claim) {
  const spaced = (/** @type {string} */ phrase) =>
    ` ${(phrase.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
  return fact.names.some((name) => spaced(claim).includes(spaced(name)));
}

/** @param {number} found @param {number} all */
function verdictOf(found, all) {
  if (found === all) return 'borne_out';
  return found * 2 >= all ? 'partly_borne_out' : 'not_borne_out';
}
