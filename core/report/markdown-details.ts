import { basisText } from './basis.js';
import type { Section } from './fit-sections.js';
import { ganttOf, type TimedSpan } from './gantt.js';
import { type GateReport, type Subject, verdictOf } from './gate-report.js';
import { groundingText } from './grounding-text.js';
import { code, fenced, htmlCode } from './markdown-text.js';
import { outcomeText } from './outcome-text.js';
import { sourcesText } from './sources-text.js';

/** Longest text of a verdict that is shown; the whole of it is stored with the run. */
const MAX_LINES = 60;

/** More runs than the largest budget has room for. */
const MOST_RUNS = 2_000;

/** What every run that is not in order says of itself, and the texts of grounding.txt and sources.txt about it. */
export function textSection({ subjects }: GateReport): Section {
  const troubled = subjects.filter(isTrouble);
  const items = troubled.slice(0, MOST_RUNS).flatMap((subject) => {
    const texts = [
      ...outcomeText(subject),
      ...(subject.grounding === null ? [] : [groundingText(subject.grounding)]),
      ...(subject.sources === null ? [] : [sourcesText(subject.sources)]),
      ...basisLine(subject),
    ];
    return texts.length === 0 ? [] : [folded(subject, texts.map((text) => fenced(shortened(text))).join('\n\n'))];
  });
  const of = Math.max(items.length, troubled.length > MOST_RUNS ? troubled.length : 0);
  return { head: '### What the checks said', items, of, separator: '\n\n', what: 'runs', priority: 6, share: 0.5 };
}

/** The span tree of every run that is not in order and whose trace is known, as a Mermaid chart. */
export function timelineSection(
  { subjects, findings }: GateReport,
  traces: ReadonlyMap<string, readonly TimedSpan[]>,
): Section {
  const items = subjects
    .filter((subject) => isTrouble(subject) && traces.has(subject.run ?? ''))
    .flatMap((subject) => {
      const spans = subject.run === null ? undefined : traces.get(subject.run);
      const faulty = new Set(findings.filter(({ run }) => run === subject.run).flatMap(({ spanId }) => spanId ?? []));
      const chart = spans === undefined ? null : ganttOf(spans, faulty);
      return chart === null ? [] : [folded(subject, fenced(chart, 'mermaid'))];
    });
  return { head: '### Timelines', items, separator: '\n\n', what: 'timelines', priority: 7, share: 0.7 };
}

/** How agents say that they made their values: declared, and checked by nothing (grounding.txt). */
export function derivationSection({ subjects }: GateReport): Section {
  const lines = subjects.flatMap(({ agentId, derivations }) =>
    derivations.map(({ field, how }) => `- ${code(agentId ?? '')} ${code(field)}: ${code(how)}`),
  );
  const head = '### Derivations (declared, not checked)';
  return { head, items: [...new Set(lines)], separator: '\n', what: 'derivations', priority: 8, share: 0.3 };
}

function basisLine(subject: Subject): readonly string[] {
  const text = basisText(subject);
  return text === null ? [] : [`basis: ${text}\n`];
}

function isTrouble({ state }: Subject): boolean {
  return verdictOf(state) === 'bad';
}

function folded({ fixture, run, repeat }: Subject, content: string): string {
  const name = htmlCode(fixture ?? run ?? '');
  const which = repeat.of > 1 ? ` ${repeat.index}/${repeat.of}` : '';
  const id = fixture === null || run === null ? '' : `, run ${htmlCode(run)}`;
  return `<details><summary>${name}${which}${id}</summary>\n\n${content}\n\n</details>`;
}

function shortened(text: string): string {
  const lines = text.trimEnd().split('\n');
  if (lines.length <= MAX_LINES) return text;
  return [...lines.slice(0, MAX_LINES), `(${lines.length - MAX_LINES} more lines)`].join('\n');
}
