import { composeJson, hashOf, type JsonNode } from '../json/index.js';

/** Members that are compared one by one; a record may have any number. */
const MOST_MEMBERS = 200;
/** Characters of a value that are shown. */
const LONGEST_VALUE = 1200;
/** Shown before the first difference of a value that is cut. */
const CONTEXT = 120;

/** Part of a shown value; `differs` where the other side says something else. */
export interface Piece {
  readonly text: string;
  readonly differs: boolean;
}

/** One member on both sides; null where a side has none. */
export interface ComparedMember {
  readonly key: string;
  readonly left: readonly Piece[] | null;
  readonly right: readonly Piece[] | null;
  readonly same: boolean;
}

/** Two documents member by member, in the order of the left one. */
export interface Comparison {
  readonly members: readonly ComparedMember[];
  /** Members that are not shown. */
  readonly more: number;
  readonly differing: number;
}

/** Compares two documents by their members; values are equal when their canonical bytes are. Null stands for no document. */
export function compareDocuments(left: JsonNode | null, right: JsonNode | null): Comparison {
  const [lefts, rights] = [membersOf(left), membersOf(right)];
  const keys = [...new Set([...lefts.keys(), ...rights.keys()])];
  const both = left !== null && right !== null;
  const rows = keys.map((key) => {
    const pair = { left: lefts.get(key) ?? null, right: rights.get(key) ?? null };
    return { key, pair, same: !both || isSame(pair) };
  });
  const differing = rows.filter(({ same }) => !same);
  const kept = new Set([...differing, ...rows.filter(({ same }) => same)].slice(0, MOST_MEMBERS));
  return {
    members: rows.filter((row) => kept.has(row)).map(({ key, pair, same }) => ({ key, same, ...piecesOf(pair, same) })),
    more: rows.length - kept.size,
    differing: differing.length,
  };
}

function membersOf(document: JsonNode | null): ReadonlyMap<string, JsonNode> {
  return new Map(document?.entries() ?? []);
}

interface Pair {
  readonly left: JsonNode | null;
  readonly right: JsonNode | null;
}

function isSame({ left, right }: Pair): boolean {
  if (left === null || right === null) return false;
  return hashOf(left, 'dd-json-document-v1') === hashOf(right, 'dd-json-document-v1');
}

function piecesOf({ left, right }: Pair, same: boolean): Pick<ComparedMember, 'left' | 'right'> {
  if (same || left === null || right === null) return { left: whole(left, same), right: whole(right, same) };
  // A text and a number can look alike: then both are shown as JSON.
  const alike = textOf(left) === textOf(right);
  const [one, other] = alike ? [left.text(), right.text()] : [textOf(left), textOf(right)];
  const head = commonStart(one, other);
  const tail = commonEnd(one, other, head);
  return { left: marked(one, { head, tail }), right: marked(other, { head, tail }) };
}

/** A value as a reader sees it: a text without quotes, anything else as indented JSON. */
function textOf(node: JsonNode): string {
  return node.string() ?? Buffer.from(composeJson(node)).toString('utf8');
}

function whole(node: JsonNode | null, same: boolean): readonly Piece[] | null {
  return node === null ? null : [{ text: shortened(textOf(node), LONGEST_VALUE), differs: !same }];
}

/** The middle in which two texts differ, with what stands around it. */
function marked(text: string, { head, tail }: { readonly head: number; readonly tail: number }): readonly Piece[] {
  const middle = text.slice(head, text.length - tail);
  const before = text.slice(0, head);
  const after = text.slice(text.length - tail);
  const shownBefore = text.length > LONGEST_VALUE && before.length > CONTEXT ? `…${before.slice(-CONTEXT)}` : before;
  return [
    { text: shownBefore, differs: false },
    { text: shortened(middle, LONGEST_VALUE), differs: true },
    { text: shortened(after, text.length > LONGEST_VALUE ? CONTEXT : LONGEST_VALUE), differs: false },
  ].filter((piece) => piece.text !== '');
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} characters more)`;
}

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one[at] === other[at]) at++;
  return at;
}

/** Not into what the starts have in common already. */
function commonEnd(one: string, other: string, head: number): number {
  const most = Math.min(one.length, other.length) - head;
  let count = 0;
  while (count < most && one[one.length - 1 - count] === other[other.length - 1 - count]) count++;
  return count;
}
