import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './ascii.js';
import { anyDuplicate, compareKeys } from './keys.js';
import { ScalarReader } from './scalars.js';
import { ScanFailure } from './scan-failure.js';
import { emptyShape, type Shape, shapeMark, shapeWith, shapeWithin, UNKNOWN_SHAPE } from './shapes.js';
import { ASCENDING, COUNT_SHIFT, END, ESCAPED, FLAGS, MAX_DEPTH, MAX_NODES, NEXT, START, STRIDE } from './tape.js';

/** Tapes of small documents share chunks of this many words, so that a document costs no allocation of its own. */
const CHUNK_WORDS = 4 * 1024 * STRIDE;
/** What is left of a chunk below this is not worth beginning a document in. */
const SCRAP_WORDS = 64 * STRIDE;
const SPACE = 0x20;

/**
 * Reads strict JSON documents (contract 1) from byte ranges into a tape. It keeps no recursion on input depth and
 * makes no object per node, so that a pass costs little more than the read. The bytes must already be known to be UTF-8.
 */
export class Scanner {
  /** The tape of the last scan; the next scan reuses it unless `keep` is called. */
  words: Int32Array = new Int32Array(CHUNK_WORDS);
  /** Where the next document's tape begins. */
  #base = 0;
  /** Where the last document's tape ends. */
  #top = 0;
  readonly #scalars = new ScalarReader();
  /** How many containers are open. */
  #depth = 0;
  /** Node of the container open at each depth. */
  readonly #open = new Int32Array(MAX_DEPTH + 1);
  /** Members or elements seen so far in the container open at each depth. */
  readonly #counts = new Int32Array(MAX_DEPTH + 1);
  /** The last key of the object open at each depth. */
  readonly #lastKey = new Int32Array(MAX_DEPTH + 1);
  /** The keys so far of the object open at each depth; null when their sequence is not remembered. */
  readonly #shapes: (Shape | null)[] = new Array(MAX_DEPTH + 1).fill(null);
  /** What the objects in the array open at each depth begin with. */
  readonly #roots: Shape[] = new Array(MAX_DEPTH + 1).fill(emptyShape());
  /** 1 while the keys of the object open at each depth ascend; kept up only where the sequence is not remembered. */
  readonly #ascending = new Uint8Array(MAX_DEPTH + 1);

  /** Makes the tape of the last scan the document's own; later scans write elsewhere. */
  keep(): void {
    this.#base = this.#top;
    if (this.words.length - this.#base >= SCRAP_WORDS && this.words.length === CHUNK_WORDS) return;
    this.words = new Int32Array(CHUNK_WORDS);
    this.#base = 0;
  }

  /**
   * Scans `bytes[from, to)`; returns the root's tape index. Throws `ScanFailure`. With `open`, other documents may
   * follow: the scan ends behind the first, and what comes after is the caller's to judge.
   */
  scan(bytes: Uint8Array, range: { readonly from: number; readonly to: number; readonly open?: boolean }): number {
    const end = range.to;
    const scalars = this.#scalars;
    scalars.view(bytes, end);
    this.#depth = 0;
    let words = this.words;
    let node = this.#base;
    let p = scalars.skipSpace(range.from);
    if (p >= end) throw new ScanFailure('json-empty', p, 'nothing but white space');
    /** A key is due at p, and not a value. */
    let keyDue = false;

    for (;;) {
      if (node + STRIDE * 3 > words.length) {
        node = this.#grow(node);
        words = this.words;
      }
      if (keyDue) {
        p = this.#key(p, node);
        node += STRIDE;
        let c = p < end ? (bytes[p] as number) : -1;
        if (c <= SPACE) {
          p = scalars.skipSpace(p);
          c = p < end ? (bytes[p] as number) : -1;
        }
        if (c !== COLON) throw scalars.expected(p, "':'");
        p++;
        if (p < end && (bytes[p] as number) <= SPACE) p = scalars.skipSpace(p);
        keyDue = false;
      }

      // A value is due at p; after it, containers that it completes are closed below.
      const c = p < end ? (bytes[p] as number) : -1;
      words[node + START] = p;
      if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
        if (this.#depth === MAX_DEPTH)
          throw new ScanFailure('json-depth', p, `more than ${MAX_DEPTH} levels of nesting`);
        const depth = ++this.#depth;
        const object = c === OPEN_OBJECT;
        this.#open[depth] = node;
        this.#counts[depth] = 0;
        const within = this.#within(depth - 1);
        if (object) this.#shapes[depth] = within;
        else this.#roots[depth] = within;
        node += STRIDE;
        p++;
        if (p < end && (bytes[p] as number) <= SPACE) p = scalars.skipSpace(p);
        const next = p < end ? bytes[p] : -1;
        if (next !== (object ? CLOSE_OBJECT : CLOSE_ARRAY)) {
          keyDue = object;
          continue;
        }
      } else {
        p = c === QUOTE ? scalars.string(p) : scalars.scalar(p, c);
        words[node + END] = p;
        words[node + NEXT] = node + STRIDE;
        words[node + FLAGS] = scalars.flags;
        node += STRIDE;
      }

      // After a value, or at the closing bracket of an empty container.
      for (;;) {
        const depth = this.#depth;
        if (depth === 0 && range.open === true) {
          this.#top = node;
          return this.#base;
        }
        let d = p < end ? (bytes[p] as number) : -1;
        if (d <= SPACE) {
          p = scalars.skipSpace(p);
          d = p < end ? (bytes[p] as number) : -1;
        }
        if (depth === 0) {
          if (p < end) throw new ScanFailure('json-trailing', p, 'something follows the document');
          this.#top = node;
          return this.#base;
        }
        const container = this.#open[depth] as number;
        const object = bytes[words[container + START] as number] === OPEN_OBJECT;
        const empty = node === container + STRIDE;
        if (!empty) this.#counts[depth] = (this.#counts[depth] as number) + 1;
        if (d === COMMA && !empty) {
          p++;
          if (p < end && (bytes[p] as number) <= SPACE) p = scalars.skipSpace(p);
          keyDue = object;
          break;
        }
        if (d !== (object ? CLOSE_OBJECT : CLOSE_ARRAY))
          throw scalars.expected(p, object ? "',' or '}'" : "',' or ']'");
        p++;
        words[container + END] = p;
        words[container + NEXT] = node;
        words[container + FLAGS] =
          ((this.#counts[depth] as number) << COUNT_SHIFT) | (object ? this.#closeKeys(container) : 0);
        this.#depth = depth - 1;
      }
    }
  }

  /** Moves the unfinished document to a larger tape of its own; returns the moved node index. */
  #grow(node: number): number {
    const base = this.#base;
    const used = node - base;
    if (used >= MAX_NODES * STRIDE) throw new ScanFailure('json-too-large', 0, `more than ${MAX_NODES} values`);
    const larger = new Int32Array(Math.max(CHUNK_WORDS, used * 2));
    larger.set(this.words.subarray(base, node));
    this.words = larger;
    this.#base = 0;
    if (base === 0) return used;
    // What a key says there is no index, and negative.
    for (let at = NEXT; at < used; at += STRIDE)
      if ((larger[at] as number) > 0) larger[at] = (larger[at] as number) - base;
    for (let level = 1; level <= this.#depth; level++) {
      this.#open[level] = (this.#open[level] as number) - base;
      this.#lastKey[level] = (this.#lastKey[level] as number) - base;
    }
    return used;
  }

  /** What an object begins with that stands in the container open at a depth: those in one place mostly have the same keys. */
  #within(depth: number): Shape {
    if (depth === 0) return emptyShape();
    if (this.#scalars.bytes[this.words[(this.#open[depth] as number) + START] as number] === OPEN_ARRAY)
      return this.#roots[depth] as Shape;
    const shape = this.#shapes[depth] as Shape | null;
    return shape === null ? emptyShape() : (shape.inside ?? shapeWithin(shape));
  }

  /** Reads a key at p; returns the offset behind it. */
  #key(p: number, node: number): number {
    const { bytes, end } = this.#scalars;
    if (p >= end || bytes[p] !== QUOTE) throw this.#scalars.expected(p, 'a key in double quotes');
    const words = this.words;
    const depth = this.#depth;
    words[node + START] = p;
    words[node + NEXT] = UNKNOWN_SHAPE;
    const before = this.#shapes[depth] as Shape | null;
    if (before !== null) {
      // Most keys are the ones that followed the same keys before: their bytes say so, and that none stands twice.
      for (let next = before.child; next !== null; next = next.sibling) {
        const { key } = next;
        const { length } = key;
        let i = 1;
        while (i < length && bytes[p + i] === key[i]) i++;
        if (i < length || p + length > end) continue;
        words[node + END] = p + length;
        words[node + FLAGS] = 0;
        this.#shapes[depth] = next;
        this.#lastKey[depth] = node;
        return p + length;
      }
    }
    const after = this.#scalars.string(p);
    words[node + END] = after;
    words[node + FLAGS] = this.#scalars.flags;
    this.#judgeKey(node, before);
    return after;
  }

  /** Takes a key that did not follow `before` yet: as one more to remember, or as one that has to be compared. */
  #judgeKey(node: number, before: Shape | null): void {
    const { words } = this;
    const depth = this.#depth;
    const { bytes } = this.#scalars;
    const last = this.#lastKey[depth] as number;
    this.#lastKey[depth] = node;
    if (before !== null) {
      const plain =
        (words[node + FLAGS] as number) & ESCAPED ? null : bytes.subarray(words[node + START], words[node + END]);
      const shape = plain === null ? null : shapeWith(before, plain);
      this.#shapes[depth] = shape;
      if (shape !== null) return;
      this.#ascending[depth] = before.ascending ? 1 : 0;
      if (before.count === 0) return;
    }
    if (this.#ascending[depth] === 0) return;
    const order = compareKeys({ bytes, words }, { left: last, right: node });
    if (order === 0) throw this.#duplicate(node);
    if (order > 0) this.#ascending[depth] = 0;
  }

  /** Refuses an object in which a key stands twice; returns the flag that says whether its keys ascend. */
  #closeKeys(object: number): number {
    const shape = this.#shapes[this.#depth] as Shape | null;
    if (shape !== null) {
      if (shape.count > 0) this.words[object + STRIDE + NEXT] = shapeMark(shape);
      return shape.ascending ? ASCENDING : 0;
    }
    if (this.#ascending[this.#depth] === 1) return ASCENDING;
    this.words[object + FLAGS] = (this.#counts[this.#depth] as number) << COUNT_SHIFT;
    const duplicate = anyDuplicate({ bytes: this.#scalars.bytes, words: this.words }, object);
    if (duplicate !== -1) throw this.#duplicate(duplicate);
    return 0;
  }

  #duplicate(node: number): ScanFailure {
    return new ScanFailure(
      'json-duplicate-key',
      this.words[node + START] as number,
      'a key stands twice in one object',
    );
  }
}
