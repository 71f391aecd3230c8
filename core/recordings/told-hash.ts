import { composeJson, hashOf, type JsonNode, parseJson } from '../json/index.js';

/** What an envelope says of the replaying side: for whom it runs, and under which profile. */
const OF_THE_CALLER = ['acting_for', 'policy_bundle_ref', 'policy_digest'];

/**
 * The hash of what an envelope told its delegating agent: all but whom the run was made for and under which profile, in which a
 * replay may differ from what was recorded.
 */
export function toldHash(envelope: JsonNode): string {
  const told = new Map(envelope.entries().filter(([key]) => !OF_THE_CALLER.includes(key)));
  return hashOf(parseJson(composeJson(told), { file: 'envelope.json' }), 'dd-envelope-json-v1');
}
