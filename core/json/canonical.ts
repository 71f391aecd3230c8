import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  MINUS,
  NINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  ZERO,
} from './ascii.js';
import { compareKeys, keyNodes } from './keys.js';
import { pythonFloat } from './number.js';
import { ShapeFacts } from './shapes.js';
import type { ByteSink } from './sink.js';
import { asciiText, decodedString } from './strings.js';
import { ASCENDING, END, ESCAPED, FLAGS, FRACTIONAL, NEXT, START, STRIDE, type TapeView } from './tape.js';

/** An open container: the children still to be written, in order. */
interface Frame {
  readonly object: boolean;
  /** Key nodes in canonical order; null while the order of the file is the canonical one. */
  readonly order: readonly number[] | null;
  readonly after: number;
  /** The next child's node, or its index in `order`. */
  at: number;
  first: boolean;
}

/** Appends the canonical bytes (contract 2) of a tape node to the sink; no recursion on input depth. */
export function writeCanonical(tape: TapeView, root: number, sink: ByteSink): void {
  const stack: Frame[] = [];
  writeValue(tape, root, { sink, stack });
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const child = frame.order === null ? frame.at : (frame.order[frame.at] as number);
    const done = frame.order === null ? frame.at >= frame.after : frame.at === frame.order.length;
    if (done) {
      sink.byte(frame.object ? CLOSE_OBJECT : CLOSE_ARRAY);
      stack.pop();
      continue;
    }
    if (!frame.first) sink.byte(COMMA);
    frame.first = false;
    const value = frame.object ? child + STRIDE : child;
    frame.at = frame.order === null ? (tape.words[value + NEXT] as number) : frame.at + 1;
    if (frame.object) {
      writeString(tape, child, sink);
      sink.byte(COLON);
    }
    writeValue(tape, value, { sink, stack });
  }
}

/** Writes a scalar, or opens a container and leaves its children on the stack. */
function writeValue(tape: TapeView, node: number, to: { readonly sink: ByteSink; readonly stack: Frame[] }): void {
  const { bytes, words } = tape;
  const from = words[node + START] as number;
  const c = bytes[from] as number;
  if (c === QUOTE) return writeString(tape, node, to.sink);
  if (c === MINUS || (c >= ZERO && c <= NINE)) return writeNumber(tape, node, to.sink);
  if (c !== OPEN_OBJECT && c !== OPEN_ARRAY) return to.sink.copy(bytes, { from, to: words[node + END] as number });
  const object = c === OPEN_OBJECT;
  const order = object && ((words[node + FLAGS] as number) & ASCENDING) === 0 ? sortedKeys(tape, node) : null;
  to.sink.byte(c);
  to.stack.push({
    object,
    order,
    after: words[node + NEXT] as number,
    at: order === null ? node + STRIDE : 0,
    first: true,
  });
}

/** Up to this many keys are sorted by insertion and remembered; more are handed to the library sort. */
const SMALL = 32;

/** The order of the last shape, as each member's position in the file. */
const shapes = new ShapeFacts<readonly number[]>();

/** The keys in canonical order. */
function sortedKeys(tape: TapeView, object: number): number[] {
  const keys = keyNodes(tape, object);
  const known = shapes.recall(tape, object);
  if (known !== undefined) return known.map((position) => keys[position] as number);
  if (keys.length > SMALL) return keys.sort((left, right) => compareKeys(tape, { left, right }));
  const inFile = [...keys];
  insertionSort(tape, keys);
  const positions = keys.map((key) => inFile.indexOf(key));
  shapes.learn(tape, object, positions);
  return keys;
}

function insertionSort(tape: TapeView, keys: number[]): void {
  for (let i = 1; i < keys.length; i++) {
    const right = keys[i] as number;
    let j = i;
    for (; j > 0 && compareKeys(tape, { left: keys[j - 1] as number, right }) > 0; j--) keys[j] = keys[j - 1] as number;
    keys[j] = right;
  }
}

function writeNumber(tape: TapeView, node: number, sink: ByteSink): void {
  const { bytes, words } = tape;
  const from = words[node + START] as number;
  const to = words[node + END] as number;
  if (((words[node + FLAGS] as number) & FRACTIONAL) !== 0)
    return sink.text(pythonFloat(Number(asciiText(bytes, { from, to }))));
  // An integer keeps its digits; only minus zero is written otherwise.
  const minusZero = bytes[from] === MINUS && bytes[from + 1] === ZERO;
  sink.copy(bytes, { from: minusZero ? from + 1 : from, to });
}

function writeString(tape: TapeView, node: number, sink: ByteSink): void {
  const { bytes, words } = tape;
  const from = words[node + START] as number;
  const to = words[node + END] as number;
  // Without an escape, or with those alone that are written, the source bytes are already the canonical ones.
  if (((words[node + FLAGS] as number) & ESCAPED) === 0 || escapesAsWritten(bytes, { from, to }))
    return sink.copy(bytes, { from, to });
  sink.text(quoted(decodedString(tape, node)));
}

/** Whether every escape of a string is a backslash and one of the marks or letters that `quoted` writes behind it. */
function escapesAsWritten(bytes: Uint8Array, { from, to }: { readonly from: number; readonly to: number }): boolean {
  for (let p = from + 1; p < to - 1; p++) {
    if (bytes[p] !== BACKSLASH) continue;
    p++;
    if (!WRITTEN_ESCAPES.includes(bytes[p] as number)) return false;
  }
  return true;
}

/** Behind a backslash: the quote, another backslash, and b, f, n, r, t. */
const WRITTEN_ESCAPES: readonly number[] = [QUOTE, BACKSLASH, 0x62, 0x66, 0x6e, 0x72, 0x74];

/** A string as canonical JSON text: only `"`, `\` and U+0000–U+001F are escaped (contract 2). */
export function quoted(text: string): string {
  // For text without lone surrogates JSON.stringify escapes exactly the contract's set, in the same way.
  return JSON.stringify(text);
}
