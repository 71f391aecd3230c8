/** A replacement of a range of a text, in UTF-16 offsets, `end` exclusive; an insertion when the range is empty. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all edits made; they must not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  // From the end, so that no edit moves another; at one offset the later one stands after the earlier one.
  const fromEnd = edits.map((edit, at) => ({ edit, at })).sort((a, b) => b.edit.start - a.edit.start || b.at - a.at);
  return fromEnd.reduce((result, { edit }) => result.slice(0, edit.start) + edit.text + result.slice(edit.end), text);
}

/** The lines that a range stands on: where the first begins, and where the line after the last begins. */
export function lineBounds(
  text: string,
  range: { readonly start: number; readonly end: number },
): { start: number; next: number } {
  const start = text.lastIndexOf('\n', range.start - 1) + 1;
  const feed = text.indexOf('\n', range.end);
  return { start, next: feed === -1 ? text.length : feed + 1 };
}

/** An insertion of lines below the line on which something ends; `lines` has no line break at its end. */
export function insertAfterLine(text: string, at: { readonly after: number; readonly lines: string }): TextEdit {
  const lineBreak = lineBreakOf(text);
  // A block scalar ends behind its own line break.
  if (text.charAt(at.after - 1) === '\n') return { start: at.after, end: at.after, text: `${at.lines}${lineBreak}` };
  const found = text.slice(at.after).search(/\r?\n/);
  const end = found === -1 ? text.length : at.after + found;
  return { start: end, end, text: `${lineBreak}${at.lines}` };
}

/** The white space before an offset on its line. */
export function indentOf(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^\s*/.exec(line)?.[0] ?? '';
}

/** The line break that a text uses: that of its first line. */
export function lineBreakOf(text: string): '\r\n' | '\n' {
  return /\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n';
}
