import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT } from './ascii.js';
import { quoted } from './canonical.js';
import { JsonNode } from './node.js';
import { ByteSink } from './sink.js';
import { END, NEXT, START, STRIDE } from './tape.js';

/** What a document of ours may be made of; a JsonNode is written with its own lexemes, an undefined member is left out. */
export type Composable =
  | null
  | boolean
  | number
  | string
  | JsonNode
  | readonly Composable[]
  | ReadonlyMap<string, Composable | undefined>
  | { readonly [key: string]: Composable | undefined };

interface Output {
  readonly sink: ByteSink;
  readonly indent: 0 | 2;
}

/**
 * Writes JSON text, by default indented by two spaces. Members keep their order. Throws a RangeError for a number
 * that JSON cannot hold and a TypeError for a lone surrogate: both would be our own bug.
 */
export function composeJson(value: Composable, options: { readonly indent?: 0 | 2 } = {}): Uint8Array {
  const sink = spare ?? new ByteSink();
  // An object with a getter of its own may compose in the midst of this.
  spare = undefined;
  try {
    sink.reset();
    write(value, 0, { sink, indent: options.indent ?? 2 });
    return new Uint8Array(sink.view());
  } finally {
    spare = sink;
  }
}

/** Serves call after call: a sink of its own for each would be memory enough to keep the collector busy. */
let spare: ByteSink | undefined = new ByteSink();

// This recursion follows the nesting of our own code's data; what was read from outside comes as a JsonNode.
function write(value: Composable, depth: number, out: Output): void {
  if (value === null || typeof value === 'boolean') return out.sink.text(String(value));
  if (typeof value === 'number') return out.sink.text(finite(value));
  if (typeof value === 'string') return out.sink.text(wellFormed(value));
  if (value instanceof JsonNode) return writeNode(value, depth, out);
  if (isList(value))
    return writeContainer(
      '[]',
      value.map((item): [null, Composable] => [null, item]),
      { depth, out },
    );
  const members = value instanceof Map ? [...value] : Object.entries(value as Record<string, Composable | undefined>);
  writeContainer(
    '{}',
    members.filter((member): member is [string, Composable] => member[1] !== undefined),
    { depth, out },
  );
}

function writeContainer(
  brackets: string,
  members: readonly [string | null, Composable][],
  to: { depth: number; out: Output },
): void {
  const { depth, out } = to;
  out.sink.text(brackets.slice(0, 1));
  members.forEach(([key, value], i) => {
    if (i > 0) out.sink.byte(COMMA);
    newLine(depth + 1, out);
    if (key !== null) out.sink.text(`${wellFormed(key)}${out.indent === 0 ? ':' : ': '}`);
    write(value, depth + 1, out);
  });
  if (members.length > 0) newLine(depth, out);
  out.sink.text(brackets.slice(1));
}

/** Writes a node as it was read, only re-indented, without recursion: strings and numbers keep their source bytes. */
function writeNode(node: JsonNode, depth: number, out: Output): void {
  const { bytes, words } = node.document;
  const stack: { readonly object: boolean; readonly after: number; at: number; first: boolean }[] = [];
  const begin = (at: number): void => {
    const from = words[at + START] as number;
    const c = bytes[from] as number;
    if (c !== OPEN_OBJECT && c !== OPEN_ARRAY) return out.sink.copy(bytes, { from, to: words[at + END] as number });
    out.sink.byte(c);
    stack.push({ object: c === OPEN_OBJECT, after: words[at + NEXT] as number, at: at + STRIDE, first: true });
  };
  begin(node.index);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (frame.at >= frame.after) {
      stack.pop();
      if (!frame.first) newLine(depth + stack.length, out);
      out.sink.byte(frame.object ? CLOSE_OBJECT : CLOSE_ARRAY);
      continue;
    }
    if (!frame.first) out.sink.byte(COMMA);
    frame.first = false;
    newLine(depth + stack.length, out);
    const value = frame.object ? frame.at + STRIDE : frame.at;
    if (frame.object) {
      out.sink.copy(bytes, { from: words[frame.at + START] as number, to: words[frame.at + END] as number });
      out.sink.text(out.indent === 0 ? ':' : ': ');
    }
    frame.at = words[value + NEXT] as number;
    begin(value);
  }
}

const LINE_FEED = 0x0a;
const SPACE = 0x20;

function newLine(depth: number, out: Output): void {
  if (out.indent === 0) return;
  out.sink.byte(LINE_FEED);
  for (let left = depth * out.indent; left > 0; left--) out.sink.byte(SPACE);
}

function isList(value: Composable): value is readonly Composable[] {
  return Array.isArray(value);
}

function finite(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`JSON holds no ${value}`);
  return JSON.stringify(value);
}

function wellFormed(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('a lone surrogate cannot be written as UTF-8');
  return quoted(text);
}
