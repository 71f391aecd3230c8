import { shortHash } from '../../model/wording.js';
import { G2_CAUSES } from '../causes/g2-causes.js';
import { exampleRun } from '../example-run.js';
import { citedFinding, spotFinding } from '../finding.js';
import { HashSet, PairSet } from '../pair-set.js';
import type { Facts, Finding, Rule } from '../rule.js';
import { cited } from '../wording.js';

const RECORD = { sourceId: 'doi:10.1234/minseqe', contentHash: 'a'.repeat(64) };
const OTHER_VERSION = { ...RECORD, contentHash: 'b'.repeat(64) };

/** G2: every source in `grounded_on` was fetched in this run, in this version. */
export const g2: Rule = {
  id: 'G2',
  title: 'every source in grounded_on matches a retrieval of the run, by id and hash',
  modes: ['retrieval'],
  why: 'A citation that no retrieval stands behind may be invented, or may be of another version of the record than the one that was read. A result that names no source at all rests on nothing that can be checked.',
  mend: 'Cite only what this run fetched, with the id and hash of its `retrieval` span; the agent library builds references from the span itself. If nothing that was fetched supports an answer, abstain.',
  passes: exampleRun({
    caption: 'The reference carries the id and the hash of a retrieval.',
    mode: 'retrieval',
    steps: [{ name: 'retrieval', of: RECORD }],
    cites: [RECORD],
  }),
  fails: exampleRun({
    caption: 'The record was fetched, and another version of it is cited.',
    mode: 'retrieval',
    steps: [{ name: 'retrieval', of: RECORD }],
    cites: [OTHER_VERSION],
    evidence: [RECORD],
  }),
  causes: G2_CAUSES,
  check,
};

function check(facts: Facts): readonly Finding[] {
  if (facts.references.length === 0) return namesNothing(facts);
  const fetched = fetchedAmong(facts);
  const unfetched = facts.references.filter((reference) => !fetched.has(reference));
  if (unfetched.length === 0) return [];
  const versions = versionsOf(facts);
  return unfetched.map((citation) => {
    const version = otherVersion(versions.get(citation.sourceId));
    return citedFinding(`${cited(citation)} is cited and no retrieval of the run fetched ${version}`, citation);
  });
}

/** A hash under which each id was fetched, the last one: the likeliest mistake is to cite another version of a record. */
function versionsOf({ fetched }: Facts): ReadonlyMap<string, string> {
  return new Map(fetched.map(({ sourceId, contentHash }) => [sourceId, contentHash]));
}

function otherVersion(hash: string | undefined): string {
  return hash === undefined ? 'it' : `this version of it, but ${shortHash(hash)}`;
}

/** Only pairs whose hash is cited are worth a key: a trace may hold a hundred thousand retrievals, a payload cites few. */
function fetchedAmong({ fetched, references }: Facts): PairSet {
  const hashes = new HashSet(references);
  return new PairSet(fetched.filter((pair) => hashes.has(pair.contentHash)));
}

/** Without a payload there is no list that could be empty; G0 reports that a succeeded run has none (contract 5). */
function namesNothing(facts: Facts): readonly Finding[] {
  if (!facts.succeeded || facts.payload === undefined) return [];
  const spot = { node: facts.payload, trail: { above: null, token: 'payload' } };
  return [spotFinding('the run succeeded and its payload names no source', spot)];
}
