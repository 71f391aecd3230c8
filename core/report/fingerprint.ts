import stableStringify from 'fast-json-stable-stringify';
import { sha256Hex } from '../json/index.js';
import type { FindingFacts } from './finding.js';

/** What a run makes anew each time: identifiers and digests. */
const RUN_SPECIFIC = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{12,}/gi;

/** Which of the repeats of a fixture a message speaks of. */
const REPEAT = /^run \d+: /;

/**
 * Tells the same fault of two runs from another one: 64 hex digits over the rule, where it was found and what it is
 * about. Ids, hashes, spans, lines and repeats change from run to run and are left out, so that a fault that stays keeps
 * its fingerprint. It identifies no document.
 */
export function fingerprintOf(facts: FindingFacts): string {
  const identity = {
    rule: facts.rule,
    where: facts.fixture ?? facts.place.file,
    what: masked(facts.sourceId ?? facts.pointer ?? facts.message.replace(REPEAT, '')),
  };
  return sha256Hex(stableStringify(identity));
}

function masked(text: string): string {
  return text.replaceAll(RUN_SPECIFIC, '…');
}
