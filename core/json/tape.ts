/**
 * The tape: one flat record per JSON node, in document order. A node is an index into `Int32Array` words,
 * four words each: start and end byte offsets in the source, the index of the node after its subtree, and flags.
 * An object is followed by key, value, key, value, …; an array by its elements.
 */
export const STRIDE = 4;
export const START = 0;
export const END = 1;
export const NEXT = 2;
export const FLAGS = 3;

/** A string that holds at least one escape. */
export const ESCAPED = 1;
/** A number with a fraction or an exponent. */
export const FRACTIONAL = 2;
/** An object whose keys ascend by code point as they stand. */
export const ASCENDING = 4;
/** The members of an object or elements of an array stand above the flag bits. */
export const COUNT_SHIFT = 4;

/** The deepest nesting that is read (contract 1). */
export const MAX_DEPTH = 1000;
/** The longest integer, in digits, that is read (contract 1). */
export const MAX_INTEGER_DIGITS = 4300;
/** The largest document: offsets stay positive 32-bit numbers and one string stays below V8's limit. */
export const MAX_DOCUMENT_BYTES = 512 * 1024 * 1024;
/** The largest file of JSON Lines, for the same reason as to offsets; each line is a document with the limit above. */
export const MAX_LINES_BYTES = 2 ** 31 - 1;
/** The most nodes of one document: 1 GiB of tape. */
export const MAX_NODES = 1 << 26;

/** A tape with the bytes that it was made of. */
export interface TapeView {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
}
