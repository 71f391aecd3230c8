import { shortHash } from '../../model/wording.js';
import { type Citation, pairKey } from '../citation.js';
import { exampleRun } from '../example-run.js';
import { citedFinding } from '../finding.js';
import type { Facts, Finding, Rule, WitnessFacts } from '../rule.js';
import { cited } from '../wording.js';

const RECORD = { sourceId: 'doi:10.1234/minseqe', contentHash: 'a'.repeat(64) };
const SERVED = { 'dd.witnessed': true, 'dd.snapshot_ref': 'standards:2026-09' };

/** W1: every record that is cited was served to the agent in this run. */
export const w1: Rule = {
  id: 'W1',
  title: 'every cited record was served to the agent in this run, before its answer',
  modes: ['retrieval'],
  why: 'A retrieval span is the agent’s own statement, and a record of the pinned copy can be cited by an agent that never read it. What the conductor’s door served, the conductor wrote down itself: a citation that is not among it rests on the agent’s word. The rule is judged only where the profile or the expectation asks for it with `require: witnessed`.',
  mend: 'List the snapshot under `sources` at the agent’s entry of agents.yaml, fetch every record that is cited through the door (`ctx.sources.fetch`, `GET /sources/…` or the MCP tool `fetch_record`), under the canonicalisation that the evidence names, and cite the id and hash that came with it. See docs/witness.md.',
  passes: exampleRun({
    caption: 'The door served the record that is cited; the agent need not declare that as well.',
    mode: 'retrieval',
    root: { 'dd.require': 'witnessed', 'dd.witnessed_spans': 1 },
    steps: [{ name: 'retrieval', of: RECORD, attributes: SERVED }],
    cites: [RECORD],
  }),
  fails: exampleRun({
    caption: 'The agent declares a retrieval, and nothing was served.',
    mode: 'retrieval',
    root: { 'dd.require': 'witnessed', 'dd.witnessed_spans': 0 },
    steps: [{ name: 'retrieval', of: RECORD }],
    cites: [RECORD],
  }),
  check,
};

function check(facts: Facts): readonly Finding[] {
  const { witness } = facts;
  if (witness === null || !witness.required) return [];
  const served = new Set(witness.served.map(pairKey));
  const missing = citationsOnce(facts).filter((citation) => !served.has(pairKey(citation)));
  const versions = missing.length === 0 ? NO_VERSIONS : versionsOf(witness);
  return missing.map((citation) => {
    const version = otherVersion(versions.get(citation.sourceId));
    return citedFinding(`${cited(citation)} is cited and was not served to the agent in this run${version}`, citation);
  });
}

/** References, then evidence that no reference cites: one record is one fault. */
function citationsOnce({ references, evidence }: Facts): readonly Citation[] {
  const referenced = new Set(references.map(pairKey));
  return [...references, ...evidence.filter((item) => !referenced.has(pairKey(item)))];
}

const NO_VERSIONS: ReadonlyMap<string, string> = new Map();

function versionsOf({ served }: WitnessFacts): ReadonlyMap<string, string> {
  return new Map(served.map(({ sourceId, contentHash }) => [sourceId, contentHash]));
}

function otherVersion(hash: string | undefined): string {
  return hash === undefined ? '' : `, but ${shortHash(hash)} of it was`;
}
