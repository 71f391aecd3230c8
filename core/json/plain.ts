import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './ascii.js';
import { asciiText, decodedString } from './strings.js';
import { END, NEXT, START, STRIDE, type TapeView } from './tape.js';

type PlainObject = Record<string, unknown>;

interface Frame {
  readonly into: PlainObject | unknown[];
  readonly after: number;
  at: number;
}

/** Turns a tape node into plain data, without recursion; objects have no prototype, so that any key is an ordinary one. */
export function toPlain(tape: TapeView, root: number): unknown {
  const stack: Frame[] = [];
  const result = begin(tape, root, stack);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (frame.at >= frame.after) {
      stack.pop();
      continue;
    }
    const { at } = frame;
    const value = Array.isArray(frame.into) ? at : at + STRIDE;
    frame.at = tape.words[value + NEXT] as number;
    const plain = begin(tape, value, stack);
    if (Array.isArray(frame.into)) frame.into.push(plain);
    else frame.into[decodedString(tape, at)] = plain;
  }
  return result;
}

/** The scalar itself, or a new empty container whose filling is put on the stack. */
function begin(tape: TapeView, node: number, stack: Frame[]): unknown {
  const { bytes, words } = tape;
  const from = words[node + START] as number;
  switch (bytes[from]) {
    case OPEN_OBJECT:
    case OPEN_ARRAY: {
      const into = bytes[from] === OPEN_ARRAY ? [] : (Object.create(null) as PlainObject);
      stack.push({ into, after: words[node + NEXT] as number, at: node + STRIDE });
      return into;
    }
    case QUOTE:
      return decodedString(tape, node);
    case 0x74:
      return true;
    case 0x66:
      return false;
    case 0x6e:
      return null;
    default:
      return Number(asciiText(bytes, { from, to: words[node + END] as number }));
  }
}
