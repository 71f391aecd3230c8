// @ts-check
// For tests only: it cites what it never fetched, and the gate must withhold its result. Since the library makes no such
// citation, this agent writes its result by hand, as a dishonest one would.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineAgent, readJsonArray } from 'grounding-gate/agent';
import { classSchema, groundedOn, text } from './class-schema.js';

/** @typedef {{ how: 'altered' | 'invented' }} Trick */

const [FETCHED, OTHER] = readJsonArray(readFileSync(new URL('../sources/facts.json', import.meta.url), 'utf8'));
const SNAPSHOT = 'facts:2026-11';

export default defineAgent({
  agent_id: 'example.miscites',
  version: '0.1.0',
  description: 'Fetches one record and cites another, altered or invented: for tests of the gate.',
  action_class: 'test',
  accepts: ['Trick'],
  grounding_mode: 'retrieval',
  payload: 'TrickResult',
  schemas: {
    Trick: classSchema('Trick', { how: { type: 'string', enum: ['altered', 'invented'] } }, ['how']),
    TrickResult: classSchema('TrickResult', { text, grounded_on: groundedOn }, ['text', 'grounded_on']),
  },

  async run(ctx, /** @type {Trick} */ { how }) {
    const options = { snapshot_ref: SNAPSHOT, canonicalisation: 'dd-json-document-v1' };
    await ctx.retrieval({ ...options, source_id: 'fact:csv' }, () => FETCHED);
    const record = /** @type {Record<string, unknown>} */ (OTHER?.value);
    const source_id = how === 'altered' ? String(record['fact_id']) : 'fact:no-such-record';
    // An altered copy of a true record is hashed again, so that content and hash agree with each other.
    const content = { ...record, fact_id: source_id, sentence: 'This sentence was never in the collection.' };
    const reference = { source_id, content_hash: hashOf(content) };
    return {
      outcome: { status: 'succeeded', statement: 'Cited what was never fetched.' },
      payload: { schema_class: 'TrickResult', text: 'Trust me.', grounded_on: [reference] },
      evidence: [{ ...reference, ...options, hash_algorithm: 'sha256', content }],
    };
  },
});

/**
 * The `dd-json-document-v1` hash of a flat record of strings and lists of strings.
 *
 * @param {Record<string, unknown>} record
 */
function hashOf(record) {
  const sorted = Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
