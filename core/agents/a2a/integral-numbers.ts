import { type JsonNode, parseJson } from '../../json/index.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const NUMBER_END = new Set([0x09, 0x0a, 0x0d, 0x20, 0x2c, 0x5d, 0x7d]);

/**
 * The same document with every number that has no fraction written as an integer: `1.0` and `1e2` become `1` and `100`. An A2A
 * `Struct` holds doubles alone, so that an integer that crossed one comes back so (contract 8). The document itself is given back
 * when there is nothing to restore.
 */
export function withIntegralNumbers(node: JsonNode): JsonNode {
  const raw = node.raw();
  const pieces: (Uint8Array | string)[] = [];
  let kept = 0;
  for (const { from, to } of numbersOf(raw)) {
    const restored = integerText(Buffer.from(raw.subarray(from, to)).toString('latin1'));
    if (restored === null) continue;
    pieces.push(raw.subarray(kept, from), restored);
    kept = to;
  }
  if (pieces.length === 0) return node;
  const bytes = Buffer.concat([...pieces, raw.subarray(kept)].map((piece) => Buffer.from(piece as string)));
  return parseJson(bytes, { file: node.place().file });
}

/**
 * The first number of a document that would not survive a `Struct`: one written like `1.0`, which comes back as an integer, or an
 * integer past 2^53; undefined when all of them would.
 */
export function numberLostOnTheWire(node: JsonNode): string | undefined {
  const raw = node.raw();
  for (const { from, to } of numbersOf(raw)) {
    const lexeme = Buffer.from(raw.subarray(from, to)).toString('latin1');
    const value = Number(lexeme);
    if (isInteger(lexeme) ? !Number.isSafeInteger(value) : Number.isInteger(value)) return lexeme;
  }
  return undefined;
}

/** The numbers of JSON text that was read strictly before, so that no fault of it needs looking for. */
function* numbersOf(text: Uint8Array): Generator<{ readonly from: number; readonly to: number }> {
  for (let at = 0; at < text.length; at++) {
    const c = text[at] ?? 0;
    if (c === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    if (c !== MINUS && (c < 0x30 || c > 0x39)) continue;
    const from = at;
    while (at < text.length && !NUMBER_END.has(text[at] ?? 0)) at++;
    yield { from, to: at };
  }
}

function endOfString(text: Uint8Array, from: number): number {
  let at = from + 1;
  while (text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}

function isInteger(lexeme: string): boolean {
  return !/[.eE]/.test(lexeme);
}

/** The integer that a literal with a point or an exponent stands for; null when it is an integer already, or has a fraction. */
function integerText(lexeme: string): string | null {
  if (isInteger(lexeme)) return null;
  const value = Number(lexeme);
  return Number.isInteger(value) ? BigInt(value).toString() : null;
}
