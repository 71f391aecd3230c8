/** One cell: its text, and the paint that is put on after its width was counted. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
  readonly align?: 'right';
}

const GAP = '  ';

/** Columns as wide as their widest cell, two spaces apart; no space at the end of a line. */
export function renderTable(rows: readonly (readonly Cell[])[]): string {
  const widths = columnWidths(rows);
  return rows
    .map((row) => `${row.map((cell, at) => padded(cell, at === row.length - 1 ? 0 : (widths[at] ?? 0))).join(GAP)}\n`)
    .join('');
}

/** How wide `renderTable` would be. */
export function tableWidth(rows: readonly (readonly Cell[])[]): number {
  const widths = columnWidths(rows);
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, widths.length - 1);
}

/** Pieces joined by a separator, broken before `columns` where they can be; further lines are indented as the first. */
export function wrapPieces(
  pieces: readonly string[],
  layout: { readonly indent: string; readonly separator: string; readonly columns: number },
): string {
  const lines: string[] = [];
  let line = layout.indent;
  for (const piece of pieces) {
    const begins = line === layout.indent;
    const longer = begins ? line + piece : line + layout.separator + piece;
    if (begins || length(longer) <= layout.columns) line = longer;
    else {
      lines.push(line);
      line = layout.indent + piece;
    }
  }
  return [...lines, line].map((one) => `${one}\n`).join('');
}

function columnWidths(rows: readonly (readonly Cell[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, length(cell.text));
  }
  return widths;
}

function padded(cell: Cell, width: number): string {
  const space = ' '.repeat(Math.max(0, width - length(cell.text)));
  const text = cell.paint === undefined ? cell.text : cell.paint(cell.text);
  return cell.align === 'right' ? space + text : text + space;
}

/** Code points, which is what nearly every character of ids, paths and verdicts takes on a terminal. */
function length(text: string): number {
  return [...text].length;
}
