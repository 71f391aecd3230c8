import { type JsonNode, placesOf } from '../json/index.js';
import { KeysBelow } from '../json/keys-below.js';
import { STATUSES } from '../model/outcome.js';
import type { Doubt, GroundingReport } from '../model/report.js';
import type { Place } from '../model/violation.js';
import { quoted, shortHash } from '../model/wording.js';
import { likeness, type Span } from '../trace/index.js';
import { type Citation, type Pair, pairKey } from './citation.js';
import type { Facts, Spot } from './rule.js';
import type { TraceTree } from './trace-tree.js';
import { pointerOf, type Trail } from './trail.js';

/** A hostile envelope may give cause for as many as it likes. */
const MAX_DOUBTS = 100;
/** So many values of a payload are looked through for keys that only look like `grounded_on`. */
const MAX_VISITED = 10_000;

/** A doubt before its pointer and place are worked out. */
interface Found extends Pick<Doubt, 'kind' | 'message'> {
  readonly spot?: Spot | undefined;
  readonly span?: Span | undefined;
}

/**
 * The member `doubts` of a report: what no rule of contract 5 forbids and an attacker would try. None of it changes the
 * rules or the verdict; a run that cannot be judged at all has none.
 */
export function doubtsOf(facts: Facts): Pick<GroundingReport, 'doubts'> {
  if (facts.tree.root === undefined || facts.mode === null) return {};
  // One list is handed on, and not one of each kind: most runs give cause for none.
  const found: Found[] = [];
  unknownStatus(facts, found);
  otherPairs(facts, found);
  alikeIds(facts, found);
  alikeKeys(facts.payload, found);
  otherClocks(facts.tree, found);
  return found.length === 0 ? {} : { doubts: doubtsAmong(found.slice(0, MAX_DOUBTS)) };
}

function doubtsAmong(found: readonly Found[]): readonly Doubt[] {
  const places = placesOf(found.flatMap(({ spot }) => spot?.node ?? []));
  return found.map((one) => doubtOf(one, places));
}

function doubtOf({ kind, message, spot, span }: Found, places: ReadonlyMap<JsonNode, Place>): Doubt {
  const place = spot === undefined ? undefined : places.get(spot.node);
  return {
    kind,
    message,
    ...(spot === undefined ? {} : { pointer: pointerOf(spot.trail) }),
    ...(span === undefined ? {} : { spanId: span.spanId }),
    ...(place === undefined ? {} : { place }),
  };
}

/** The rules for succeeded envelopes pass over a status that is spelt otherwise. */
function unknownStatus({ envelope }: Facts, found: Found[]): void {
  const node = envelope.get('outcome')?.get('status');
  const status = node?.word();
  if (node === undefined || status === undefined || STATUSES.some((known) => known === status)) return;
  const trail = { above: { above: null, token: 'outcome' }, token: 'status' };
  const message = `the status ${quoted(status)} is none of ${STATUSES.join(', ')}`;
  found.push({ kind: 'status', message, spot: { node, trail } });
}

/** G3 and G4 compare hashes alone, so that evidence may bear the id of one record and the hash of another. */
function otherPairs({ mode, evidence, fetched, references }: Facts, found: Found[]): void {
  if (mode !== 'retrieval' && mode !== 'delegation') return;
  if (mode === 'retrieval')
    for (const cited of strangers(evidence, fetched))
      found.push(pairDoubt(cited, 'is evidence, and no retrieval fetched its hash under this id'));
  for (const cited of strangers(references, evidence))
    found.push(pairDoubt(cited, 'is cited, and the evidence has its hash under another id'));
}

/** Citations whose hash is among the others, and whose id with it is not. */
function strangers(citations: readonly Citation[], others: readonly Pair[]): readonly Citation[] {
  const firstId = new Map<string, string>();
  for (const { contentHash, sourceId } of others) if (!firstId.has(contentHash)) firstId.set(contentHash, sourceId);
  // Nearly always the first record with a hash is the one that is cited; only for the rest are all pairs put together.
  const odd = citations.filter(({ contentHash, sourceId }) => (firstId.get(contentHash) ?? sourceId) !== sourceId);
  if (odd.length === 0) return odd;
  const pairs = new Set(others.map(pairKey));
  return odd.filter((cited) => !pairs.has(pairKey(cited)));
}

function pairDoubt(cited: Citation, what: string): Found {
  const { node, trail, sourceId, contentHash } = cited;
  return { kind: 'pair', message: `${quoted(sourceId)} (${shortHash(contentHash)}) ${what}`, spot: { node, trail } };
}

/** Ids are compared by code units; a reader may take two of them for one. Each odd id is told once. */
function alikeIds({ evidence, references }: Facts, found: Found[]): void {
  const byLook = new Map<string, string>();
  const seen = new Set<string>();
  const look = ({ node, trail, sourceId }: Citation): void => {
    if (seen.has(sourceId)) return;
    seen.add(sourceId);
    const looks = likeness(sourceId);
    const other = byLook.get(looks);
    if (other === undefined) byLook.set(looks, sourceId);
    if (other === undefined || found.length >= MAX_DOUBTS) return;
    const message = `${spelt(sourceId)} looks like ${spelt(other)}, which is cited as well, and is another id`;
    found.push({ kind: 'look-alike', message, spot: { node, trail } });
  };
  for (const cited of references) look(cited);
  for (const cited of evidence) look(cited);
}

/** A text by which two that look alike can be told apart. */
function spelt(text: string): string {
  return quoted(text).replace(/[^\x20-\x7e…]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16) ?? ''}}`);
}

/** Without an escape, a letter outside ASCII, another case or space about it, no key of a text looks like `grounded_on`. */
const MAY_LOOK_ALIKE =
  /[^\x20-\x7e\s]|\\u|"\s+grounded_on|grounded_on\s+"|(?!grounded_on)[Gg][Rr][Oo][Uu][Nn][Dd][Ee][Dd]_[Oo][Nn]/;

function looksLikeReferences(key: string): boolean {
  return key !== 'grounded_on' && likeness(key) === 'grounded_on';
}

/** Payloads have the same keys again and again: then their text need not be looked through. */
const harmlessKeys = new KeysBelow((key) => !looksLikeReferences(key));

/** A list under a key that only looks like `grounded_on` is judged by nothing. */
function alikeKeys(payload: JsonNode | undefined, found: Found[]): void {
  if (payload === undefined || harmlessKeys.areFine(payload, MAX_VISITED)) return;
  if (!MAY_LOOK_ALIKE.test(payload.text())) return;
  // A stack of our own, since a model chose the depth.
  const stack: { readonly node: JsonNode; readonly trail: Trail }[] = [
    { node: payload, trail: { above: null, token: 'payload' } },
  ];
  let visited = 0;
  for (let step = stack.pop(); step !== undefined && visited < MAX_VISITED; step = stack.pop()) {
    const { node, trail: above } = step;
    const children: readonly (readonly [string | number, JsonNode])[] =
      node.kind === 'array' ? node.items().map((item, at) => [at, item] as const) : node.entries();
    for (const [token, child] of children) {
      visited++;
      const trail = { above, token };
      if (typeof token === 'string' && looksLikeReferences(token))
        found.push({
          kind: 'look-alike',
          message: `the key ${spelt(token)} is not grounded_on, and is not judged`,
          spot: { node: child, trail },
        });
      if (child.size > 0) stack.push({ node: child, trail });
    }
  }
}

/** An agent's clock may go otherwise than ours; what it says of the order of its own steps is judged all the same. */
function otherClocks({ root, retrievals, chats }: TraceTree, found: Found[]): void {
  let first: Span | undefined;
  let outside = 0;
  for (const spans of [retrievals, chats])
    for (const span of spans) {
      if (root === undefined || !isOutside(span, root)) continue;
      first ??= span;
      outside++;
    }
  if (first === undefined) return;
  const all = retrievals.length + chats.length;
  const message = `${outside} of ${all} retrieval and chat spans begin before the run or end after it: another clock`;
  found.push({ kind: 'clock', message, span: first });
}

function isOutside(span: Span, { start, end }: Span): boolean {
  return (
    (start !== null && span.start !== null && span.start < start) ||
    (end !== null && span.end !== null && span.end > end)
  );
}
