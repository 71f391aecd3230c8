import { type ToldSpan, type TraceRow, traceRows } from './trace-rows.js';
import { firstStart, milliseconds } from './trace-text.js';
import { cut } from './visible.js';

/** Mermaid draws no more than 500 edges unless it is told to. */
const MAX_NODES = 400;
const LONGEST_LABEL = 60;

/** A trace as a Mermaid flowchart: one node a span, with its name, what it is and its time, below its parent. */
export function traceMermaid(spans: readonly ToldSpan[]): string {
  const first = firstStart(spans);
  const rows = traceRows(spans);
  const shown = rows.slice(0, MAX_NODES);
  const numbers = new Map(shown.map((row, index): [TraceRow, number] => [row, index]));
  const lines = ['flowchart TD'];
  for (const [row, number] of numbers) {
    lines.push(`  s${number}["${label(row.span, first)}"]`);
    const above = row.above === null ? undefined : numbers.get(row.above);
    if (above !== undefined) lines.push(`  s${above} --> s${number}`);
  }
  const faulty = shown.flatMap((row, index) => (isFaulty(row) ? [`s${index}`] : []));
  if (faulty.length > 0)
    lines.push('  classDef faulty stroke:#c00,stroke-width:3px', `  class ${faulty.join(',')} faulty`);
  if (rows.length > MAX_NODES) lines.push(`  more["${rows.length - MAX_NODES} more spans"]`);
  return `${lines.join('\n')}\n`;
}

function isFaulty({ span, detached }: TraceRow): boolean {
  return detached || span.failed || span.recognition.conflict !== null || span.facts.losses !== undefined;
}

function label({ name, recognition, start, end }: ToldSpan, first: bigint | null): string {
  const took =
    start === null || end === null || first === null
      ? ''
      : `<br>+${milliseconds(start - first)} ms, ${milliseconds(end - start)} ms`;
  const role = recognition.role === 'other' ? 'unknown' : recognition.role;
  return `${plain(name)}<br>${role}${took}`;
}

/** Mermaid has no quoting that holds: letters, digits and a few marks pass, all else is a low line. */
function plain(text: string): string {
  return cut(text, LONGEST_LABEL).replaceAll(/[^\p{L}\p{N} ._/…-]/gu, '_') || '_';
}
