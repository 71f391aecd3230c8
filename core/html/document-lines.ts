/** Lines of a document that a page shows, and characters of a line; the whole file is there to download. */
const MOST_LINES = 1500;
const LONGEST_LINE = 2000;
/** Lines around one that is marked. */
const AROUND = 4;
/** Characters shown before a marked place in a line that is cut. */
const BEFORE = 160;
const LINE_FEED = 0x0a;

/** A place that something is said about or that something leads to: its line and column from 1. */
export interface Mark {
  readonly line: number;
  readonly column: number;
  /** What is wrong with the line, for the margin, as `G2`, and the fragment where that is said; null for a place to go to. */
  readonly fault: { readonly label: string; readonly href: string } | null;
}

/** A stretch of bytes that is not to be shown. */
export interface HiddenRange {
  readonly from: number;
  readonly to: number;
}

/** One shown line with its marks. */
export interface ShownLine {
  readonly number: number;
  readonly text: string;
  readonly marks: readonly Mark[];
}

/** Stretches of consecutive lines, in order, and how many lines the document has. */
export interface ShownLines {
  readonly stretches: readonly (readonly ShownLine[])[];
  readonly total: number;
  /** Numbers of the shown lines that have marks, and so can be led to. */
  readonly targets: ReadonlySet<number>;
}

/** Stands in the place of what no hash covers. */
const NOT_SHOWN = ' [not shown: no hash covers it]';

/** The lines that a page shows of a document: its beginning, and what is around each mark. */
export function shownLines(
  bytes: Uint8Array,
  given: { readonly marks: readonly Mark[]; readonly hidden: readonly HiddenRange[] },
): ShownLines {
  const text = withoutHidden(bytes, given.hidden);
  const starts = lineStarts(text);
  const byLine = new Map<number, Mark[]>();
  for (const mark of given.marks) byLine.set(mark.line, [...(byLine.get(mark.line) ?? []), mark]);
  // Where not all have room, lines that something is wrong with come first.
  const wanted = [...given.marks].sort(
    (a, b) => Number(a.fault === null) - Number(b.fault === null) || a.line - b.line,
  );
  const numbers = chosenLines(
    starts.length,
    wanted.map(({ line }) => line),
  );
  const stretches: ShownLine[][] = [];
  let before = Number.NaN;
  for (const number of numbers) {
    const marks = byLine.get(number) ?? [];
    const line = { number, marks, text: lineText(text, { starts, number, marks }) };
    if (number === before + 1) stretches.at(-1)?.push(line);
    else stretches.push([line]);
    before = number;
  }
  return { stretches, total: starts.length, targets: new Set(numbers.filter((number) => byLine.has(number))) };
}

/** Takes stretches out and keeps their line feeds, so that every line keeps its number. */
function withoutHidden(bytes: Uint8Array, hidden: readonly HiddenRange[]): Uint8Array {
  if (hidden.length === 0) return bytes;
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { from, to } of [...hidden].sort((a, b) => a.from - b.from)) {
    if (from < at) continue;
    const feeds = bytes.subarray(from, to).reduce((count, byte) => count + (byte === LINE_FEED ? 1 : 0), 0);
    pieces.push(bytes.subarray(at, from), Buffer.from(NOT_SHOWN + '\n'.repeat(feeds)));
    at = to;
  }
  return Buffer.concat([...pieces, bytes.subarray(at)]);
}

/** Offsets at which lines begin; what follows the last line feed is a line when it is not empty. */
function lineStarts(bytes: Uint8Array): readonly number[] {
  const starts = [0];
  for (let feed = bytes.indexOf(LINE_FEED); feed !== -1; feed = bytes.indexOf(LINE_FEED, feed + 1))
    starts.push(feed + 1);
  if (starts.length > 1 && starts.at(-1) === bytes.length) starts.pop();
  return starts;
}

function chosenLines(total: number, marked: readonly number[]): readonly number[] {
  if (total <= MOST_LINES) return Array.from({ length: total }, (_, at) => at + 1);
  const wanted = new Set<number>();
  const half = MOST_LINES / 2;
  for (const line of marked) {
    if (wanted.size >= half) break;
    for (let at = Math.max(1, line - AROUND); at <= Math.min(total, line + AROUND); at++) wanted.add(at);
  }
  for (let at = 1; at <= total && wanted.size < MOST_LINES; at++) wanted.add(at);
  return [...wanted].sort((a, b) => a - b);
}

function lineText(
  bytes: Uint8Array,
  at: { readonly starts: readonly number[]; readonly number: number; readonly marks: readonly Mark[] },
): string {
  const from = at.starts[at.number - 1] ?? 0;
  const to = at.starts[at.number] ?? bytes.length;
  // A character has four bytes at most: a line of megabytes is not decoded for the part that is shown.
  const first = at.marks.find(({ fault }) => fault !== null)?.column ?? 1;
  const most = (first + LONGEST_LINE) * 4;
  const text = Buffer.from(bytes.subarray(from, Math.min(to, from + most)))
    .toString('utf8')
    .replace(/\r?\n$/, '');
  const start = first > LONGEST_LINE - BEFORE ? first - BEFORE : 0;
  const shown = text.slice(start, start + LONGEST_LINE);
  const more = start + LONGEST_LINE < text.length || from + most < to;
  return `${start > 0 ? '… ' : ''}${shown}${more ? ' … (the line goes on in the file)' : ''}`;
}
