import { isUtf8 } from 'node:buffer';
import { type ErrorCode, gateError } from '../model/error-codes.js';
import { OPEN_OBJECT } from './ascii.js';
import { type Composable, composeJson } from './compose.js';
import { JsonNode } from './node.js';
import { type Origin, placeOf } from './place.js';
import { Scanner } from './scan.js';
import { ScanFailure } from './scan-failure.js';
import { bufferOf } from './strings.js';
import { MAX_DOCUMENT_BYTES, MAX_LINES_BYTES } from './tape.js';

export { type JsonKind, JsonNode } from './node.js';

/** One scanner serves every read: scanning is synchronous, and each document keeps its own stretch of tape. */
const scanner = new Scanner();

const REMEDIES: Partial<Record<string, string>> = {
  'json-empty': 'write one JSON document',
  'json-encoding': 'save the file as UTF-8 without a byte order mark',
  'json-nonfinite': 'use a finite number, or a string',
  'json-duplicate-key': 'keep one of the two',
};

/**
 * Reads one strict JSON document (contract 1) and returns its root. `file` is only a label for messages;
 * `firstLine` (default 1) is the line on which the bytes begin. Throws a `json-*` GateError of blame `unreadable`.
 */
export function parseJson(
  bytes: Uint8Array,
  options: { readonly file: string; readonly firstLine?: number },
): JsonNode {
  const origin: Origin = { file: options.file, firstLine: options.firstLine ?? 1 };
  refuseEncoding(bytes, { origin, limit: MAX_DOCUMENT_BYTES });
  // Each text that is asked of the document would make a Buffer of its own otherwise.
  return scanDocument(bufferOf(bytes), { from: 0, to: bytes.length, origin });
}

/**
 * Reads JSON Lines (contract 1): documents are split on U+000A only and blank lines are skipped.
 * Yields one root a line; throws as `parseJson` does, at the first line that cannot be read.
 */
export function* parseJsonLines(bytes: Uint8Array, options: { readonly file: string }): Generator<JsonNode> {
  refuseEncoding(bytes, { origin: { file: options.file, firstLine: 1 }, limit: MAX_LINES_BYTES });
  let line = 1;
  for (let from = 0; from < bytes.length; line++) {
    const feed = bytes.indexOf(0x0a, from);
    const to = feed === -1 ? bytes.length : feed;
    if (!isBlank(bytes, { from, to }))
      yield scanDocument(bytes, { from, to, origin: { file: options.file, firstLine: line } });
    from = to + 1;
  }
}

/**
 * Reads documents that stand one behind the other, each beginning on a line of its own: JSON Lines, and what a program
 * prints that indents its objects. Blank lines are skipped. Yields one root a document; throws as `parseJson` does.
 */
export function* parseJsonSequence(bytes: Uint8Array, options: { readonly file: string }): Generator<JsonNode> {
  refuseEncoding(bytes, { origin: { file: options.file, firstLine: 1 }, limit: MAX_LINES_BYTES });
  let line = 1;
  let lines = true;
  for (let from = 0; from < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, from);
    const to = feed === -1 ? bytes.length : feed;
    if (bytes[from] !== OPEN_OBJECT && isBlank(bytes, { from, to })) {
      line++;
      from = to + 1;
      continue;
    }
    const origin = { file: options.file, firstLine: line };
    const node = scanFirst(bytes, { from, to, origin, lines: lines && line > 1 });
    let last = to;
    let lineBreaks = 0;
    for (; last < node.end; lineBreaks++) {
      const next = bytes.indexOf(LINE_FEED, last + 1);
      last = next === -1 ? bytes.length : next;
    }
    if (node.end !== last && !isBlank(bytes, { from: node.end, to: last })) throw trailing(node, last);
    yield node;
    lines &&= lineBreaks === 0;
    line += lineBreaks + 1;
    from = last + 1;
  }
}

const LINE_FEED = 0x0a;

/** The document that begins on the line `[from, to)`, and may end on a later one. */
function scanFirst(
  bytes: Uint8Array,
  at: { readonly from: number; readonly to: number; readonly origin: Origin; readonly lines: boolean },
): JsonNode {
  const { from, to, origin } = at;
  try {
    const node = scanDocument(bytes, { from, to: bytes.length, origin, open: true });
    if (node.end - from <= MAX_DOCUMENT_BYTES) return node;
  } catch (error) {
    // In a file of lines the fault of a line is told on that line, not where the next one begins.
    if (at.lines || bytes[to + 1] === OPEN_OBJECT) scanDocument(bytes, { from, to, origin });
    throw error;
  }
  const failure = new ScanFailure('json-too-large', from, `more than ${MAX_DOCUMENT_BYTES} bytes`);
  throw refusal(failure, { bytes, from, origin });
}

function trailing(node: JsonNode, to: number): Error {
  const { bytes, from, origin } = node.document;
  let offset = node.end;
  while (offset < to && isBlank(bytes, { from: offset, to: offset + 1 })) offset++;
  return refusal(new ScanFailure('json-trailing', offset, 'something follows the document'), { bytes, from, origin });
}

/** A value of ours as a document, so that it can be hashed or judged like one that was read. */
export function jsonOf(value: Composable): JsonNode {
  return parseJson(composeJson(value, { indent: 0 }), { file: '<memory>' });
}

/** Whether a byte range holds nothing but JSON white space. */
export function isBlank(bytes: Uint8Array, range: { readonly from: number; readonly to: number }): boolean {
  for (let p = range.from; p < range.to; p++) {
    const c = bytes[p];
    if (c !== 0x20 && c !== 0x09 && c !== 0x0d && c !== 0x0a) return false;
  }
  return true;
}

/** Refuses bytes that are not UTF-8, begin with a byte order mark, or are too many; throws as `parseJson` does. */
function refuseEncoding(bytes: Uint8Array, at: { readonly origin: Origin; readonly limit: number }): void {
  const refuse = (code: ErrorCode, found: { readonly offset: number; readonly reason: string }): Error =>
    refusal(new ScanFailure(code, found.offset, found.reason), { bytes, from: 0, origin: at.origin });
  if (bytes.length > at.limit) throw refuse('json-too-large', { offset: 0, reason: `more than ${at.limit} bytes` });
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    throw refuse('json-encoding', { offset: 0, reason: 'the file begins with a byte order mark' });
  if (!isUtf8(bytes)) throw refuse('json-encoding', { offset: firstInvalid(bytes), reason: 'the bytes are not UTF-8' });
}

function scanDocument(
  bytes: Uint8Array,
  at: { readonly from: number; readonly to: number; readonly origin: Origin; readonly open?: boolean },
): JsonNode {
  try {
    if (at.open !== true && at.to - at.from > MAX_DOCUMENT_BYTES)
      throw new ScanFailure('json-too-large', at.from, `more than ${MAX_DOCUMENT_BYTES} bytes`);
    const root = scanner.scan(bytes, at);
    const node = JsonNode.root({ bytes, words: scanner.words, root, from: at.from, origin: at.origin });
    scanner.keep();
    return node;
  } catch (failure) {
    if (failure instanceof ScanFailure) throw refusal(failure, { bytes, from: at.from, origin: at.origin });
    throw failure;
  }
}

/** A scan failure as the error that a person reads, with line and column. */
export function refusal(
  failure: ScanFailure,
  at: { readonly bytes: Uint8Array; readonly from: number; readonly origin: Origin },
): Error {
  return gateError(failure.code, {
    blame: 'unreadable',
    message: `not readable as strict JSON: ${failure.reason}`,
    remedy: REMEDIES[failure.code] ?? 'mend the document at this place',
    place: placeOf(at.bytes, { from: at.from, offset: failure.offset, origin: at.origin }),
  });
}

/** The offset of the first byte that no UTF-8 text could hold there; found by halving, since `isUtf8` is fast. */
function firstInvalid(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (isUtf8(bytes.subarray(0, backToCharacter(bytes, middle)))) valid = middle;
    else invalid = middle;
  }
  return backToCharacter(bytes, valid);
}

/** Steps back over continuation bytes, so that a prefix is not refused merely for being cut inside a character. */
function backToCharacter(bytes: Uint8Array, offset: number): number {
  let p = offset;
  for (let i = 0; i < 3 && p > 0 && ((bytes[p] ?? 0) & 0xc0) === 0x80; i++) p--;
  return p;
}
