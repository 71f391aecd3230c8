import type { ShownLine, ShownLines } from './document-lines.js';
import { html, type Markup, type Part } from './markup.js';
import { counted } from './wording.js';

/** A document with its line numbers; lines that something is wrong with are marked and lead to what it is. */
export function documentSection({
  id,
  name,
  lines,
}: {
  readonly id: string;
  readonly name: string;
  readonly lines: ShownLines;
}): Markup {
  const { stretches, total } = lines;
  let next = 1;
  const parts: Part[] = [];
  for (const stretch of stretches) {
    const [first] = stretch;
    if (first === undefined) continue;
    if (first.number > next) parts.push(gap(next, first.number - 1));
    parts.push(block(stretch, id));
    next = first.number + stretch.length;
  }
  if (next <= total) parts.push(gap(next, total));
  return html`<div class="source-text" role="group" aria-label="${name}" tabindex="0">${parts}</div>`;
}

function gap(from: number, to: number): Markup {
  return html`<p class="gap">${counted(to - from + 1, 'line')}, ${from} to ${to}, in the file</p>`;
}

/** The numbers stand in a column of their own, so that copied text is without them. */
function block(stretch: readonly ShownLine[], id: string): Markup {
  const numbers = stretch.map(({ number, marks }, at): Part => {
    const faults = marks.flatMap(({ fault }) => fault ?? []);
    const [fault] = faults;
    if (fault === undefined) return html`${feedBefore(at)}${number}`;
    const label = [...new Set(faults.map((one) => one.label))].join(', ');
    return html`${feedBefore(at)}<a href="${fault.href}">${label}<span class="hidden"> on line</span> ${number}</a>`;
  });
  const texts = stretch.map(({ number, text, marks }, at): Part => {
    if (marks.length === 0) return html`${feedBefore(at)}${text}`;
    const wrong = marks.some(({ fault }) => fault !== null);
    if (wrong) return html`${feedBefore(at)}<mark id="${id}-${number}">${text}</mark>`;
    return html`${feedBefore(at)}<span id="${id}-${number}">${text}</span>`;
  });
  return html`<div class="lines"><pre class="numbers">${numbers}</pre><pre class="text"><code>${texts}</code></pre></div>`;
}

/** An empty line keeps its height in both columns by its line feed alone. */
function feedBefore(at: number): string {
  return at === 0 ? '' : '\n';
}
