import { COUNT_SHIFT, FLAGS, NEXT, STRIDE, type TapeView } from './tape.js';

/** Objects with more keys are rare, and so are longer keys; neither is worth remembering. */
const MAX_KEYS = 64;
const MAX_KEY_BYTES = 256;
/** How many keys may follow one sequence: beyond this the keys are data, not names. */
const MAX_SUCCESSORS = 12;
/** How many keys documents may begin with. */
const MAX_KINDS = 48;
/** How many sequences are remembered: a hostile document invents them by the million. */
const MAX_SHAPES = 4096;
/** Ids stay below this, so that they fit into a word of the tape. */
const MAX_IDS = 2 ** 30;

/**
 * A sequence of keys, none of them twice, as it stood in an object: a node in the tree of all sequences that were met.
 * Records of one kind write the same keys in the same order, so that the next key is mostly known before it is read.
 */
export class Shape {
  /** The bytes of the last key with its quotes; it holds no escape. */
  readonly key: Uint8Array;
  readonly above: Shape | null;
  readonly id: number;
  readonly count: number;
  /** The keys ascend by code point. */
  readonly ascending: boolean;
  /** The first of the sequences that go on with one more key; the others follow it as siblings. */
  child: Shape | null = null;
  sibling: Shape | null = null;
  /** What the objects below the last key begin with. */
  inside: Shape | null = null;
  #successors = 0;

  constructor(above: Shape | null, of: { readonly key: Uint8Array; readonly id: number }) {
    this.above = above;
    this.key = of.key;
    this.id = of.id;
    this.count = above === null ? 0 : above.count + 1;
    this.ascending = above === null || (above.ascending && (above.above === null || isBefore(above.key, of.key)));
  }

  /** Whether one more key may be remembered behind this sequence. */
  get open(): boolean {
    return this.count < MAX_KEYS && this.#successors < (this === ROOT ? MAX_KINDS : MAX_SUCCESSORS);
  }

  holds(key: Uint8Array): boolean {
    for (let shape: Shape = this; shape.above !== null; shape = shape.above) if (sameBytes(shape.key, key)) return true;
    return false;
  }

  /** Appends, so that what was met first is tried first. */
  adopt(child: Shape): void {
    this.#successors++;
    if (this.child === null) {
      this.child = child;
      return;
    }
    let last = this.child;
    while (last.sibling !== null) last = last.sibling;
    last.sibling = child;
  }

  forget(): void {
    this.#successors = 0;
    this.child = null;
  }
}

const NO_KEY = new Uint8Array(0);
const ROOT = new Shape(null, { key: NO_KEY, id: 0 });

/** The sequences by their ids, modulo the most that there are. */
const byId: (Shape | undefined)[] = new Array(MAX_SHAPES).fill(undefined);
let ids = 0;
let remembered = 0;

/** The sequence without a key, with which every object begins. */
export function emptyShape(): Shape {
  return ROOT;
}

/** The sequence with one more key, given with its quotes and without escapes; null when it is not to be remembered. */
export function shapeWith(shape: Shape, key: Uint8Array): Shape | null {
  if (!shape.open || key.length > MAX_KEY_BYTES || ids >= MAX_IDS || shape.holds(key)) return null;
  if (remembered >= MAX_SHAPES) {
    // All is forgotten at once; an object that is being read keeps its sequence, and is the last to know it.
    ROOT.forget();
    remembered = 0;
  }
  remembered++;
  ids++;
  const child = new Shape(shape, { key: Uint8Array.from(key), id: ids });
  byId[ids % MAX_SHAPES] = child;
  shape.adopt(child);
  return child;
}

/** The sequence without a key with which the objects below a sequence's last key begin. */
export function shapeWithin(shape: Shape): Shape {
  shape.inside = new Shape(null, { key: NO_KEY, id: 0 });
  return shape.inside;
}

/** What the tape says in place of a key's successor: of an object's first key, which sequence its keys are. */
export const UNKNOWN_SHAPE = -1;

/** The mark of a sequence, to be written where `shapeOf` reads it; never one that a node's index could be. */
export function shapeMark(shape: Shape): number {
  return UNKNOWN_SHAPE - shape.id;
}

/** The sequence of an object's keys; undefined when it is not remembered, or no longer. */
export function shapeOf({ words }: Pick<TapeView, 'words'>, object: number): Shape | undefined {
  if ((words[object + FLAGS] as number) >> COUNT_SHIFT === 0) return ROOT;
  const id = UNKNOWN_SHAPE - (words[object + STRIDE + NEXT] as number);
  const shape = byId[id % MAX_SHAPES];
  return shape?.id === id ? shape : undefined;
}

/** What was found out about sequences of keys; it is let go with the sequence itself. */
export class ShapeFacts<Fact> {
  readonly #facts = new WeakMap<Shape, Fact>();

  /** What is known of the sequence of an object's keys. */
  recall(tape: Pick<TapeView, 'words'>, object: number): Fact | undefined {
    const shape = shapeOf(tape, object);
    return shape === undefined ? undefined : this.#facts.get(shape);
  }

  /** Remembers a fact about the sequence of an object's keys, if that is remembered itself. */
  learn(tape: Pick<TapeView, 'words'>, object: number, fact: Fact): void {
    const shape = shapeOf(tape, object);
    if (shape !== undefined) this.#facts.set(shape, fact);
  }
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false;
  return true;
}

/** Orders two keys by their bytes between the quotes, which for UTF-8 is the order of code points. */
function isBefore(left: Uint8Array, right: Uint8Array): boolean {
  const length = Math.min(left.length, right.length) - 1;
  for (let i = 1; i < length; i++) {
    const difference = (left[i] as number) - (right[i] as number);
    if (difference !== 0) return difference < 0;
  }
  return left.length < right.length;
}
