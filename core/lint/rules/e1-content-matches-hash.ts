import { hashOf } from '../../json/index.js';
import { GateError } from '../../model/errors.js';
import { GROUNDING_MODES } from '../../model/report.js';
import { quoted, shortHash } from '../../model/wording.js';
import type { Citation } from '../citation.js';
import { exampleRun } from '../example-run.js';
import { citedFinding } from '../finding.js';
import type { Finding, Rule } from '../rule.js';
import { cited } from '../wording.js';

const RECORD = {
  sourceId: 'doi:10.1234/minseqe',
  contentHash: '02a63bdd0a09743b685c594ce965d35b731577049e9ead64c082a47bc9c92f08',
};

/** E1: what the reader is shown of a record is what its hash covers. */
export const e1: Rule = {
  id: 'E1',
  title: 'evidence content hashes to its content_hash',
  modes: GROUNDING_MODES,
  why: 'The content of an evidence item is what a reader sees of a cited record: its name, its status. When it does not hash to the hash that the citation carries, the reader sees something else than what was cited.',
  mend: 'Store the projection that was hashed, unaltered, as `content`; name its registered canonicalisation and `sha256`; and compute the hash with `grounding hash --as NAME` or the agent library, not by hand.',
  passes: exampleRun({
    caption: 'The content hashes, under the canonicalisation that the item names, to its hash.',
    mode: 'retrieval',
    steps: [{ name: 'retrieval', of: RECORD }],
    cites: [RECORD],
    evidence: [{ ...RECORD, content: { name: 'MINSEQE', status: 'ready' } }],
  }),
  fails: exampleRun({
    caption: 'The status was changed after hashing, so that a deprecated record looks like a ready one.',
    mode: 'retrieval',
    steps: [{ name: 'retrieval', of: RECORD }],
    cites: [RECORD],
    evidence: [{ ...RECORD, content: { name: 'MINSEQE', status: 'deprecated' } }],
  }),
  check: (facts) => {
    const findings: Finding[] = [];
    for (const item of facts.evidence) {
      const finding = contentFinding(item);
      if (finding !== undefined) findings.push(finding);
    }
    return findings;
  },
};

function contentFinding(item: Citation): Finding | undefined {
  const content = item.node.present('content');
  if (content === undefined) return undefined;
  const fault = contentFault(item, content);
  return fault === null ? undefined : citedFinding(`the content of the evidence for ${cited(item)} ${fault}`, item);
}

function contentFault(item: Citation, content: Citation['node']): string | null {
  if (content.kind !== 'object') return 'is not an object';
  if (item.node.get('hash_algorithm')?.word() !== 'sha256') return 'is not hashed with sha256';
  const canonicalisation = item.node.get('canonicalisation')?.word();
  if (canonicalisation === undefined) return 'names no canonicalisation';
  const hash = hashUnder(content, canonicalisation);
  if (hash === undefined) return `cannot be projected under ${quoted(canonicalisation)}`;
  return hash === item.contentHash ? null : `hashes to ${shortHash(hash)}`;
}

/** Undefined when no hash exists: an unknown canonicalisation, or a document that its projection refuses. */
function hashUnder(content: Citation['node'], canonicalisation: string): string | undefined {
  try {
    return hashOf(content, canonicalisation);
  } catch (error) {
    if (error instanceof GateError && REFUSALS.has(error.code)) return undefined;
    throw error;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['canonicalisation-unknown', 'projection-refused']);
