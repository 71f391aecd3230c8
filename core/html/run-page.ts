import type { UnresolvedPolicy } from '../model/report.js';
import type { Finding } from '../report/finding.js';
import { cut } from '../report/visible.js';
import { citationsOf, type ShownCitations } from './citations.js';
import { citationsSection } from './citations-section.js';
import { delegationsOf, delegationsSection } from './delegations-section.js';
import { derivationLabels, derivationsSection } from './derivations.js';
import { type Mark, type ShownLines, shownLines } from './document-lines.js';
import { documentSection } from './document-section.js';
import { faultsOf } from './faults.js';
import { faultsSection } from './faults-section.js';
import { filesSection } from './files-section.js';
import { RUN_STYLE } from './generated/assets.js';
import { faultHref, marksIn, type NumberedFinding, tamperMarks, targetMarks, uncovered } from './marks.js';
import { html, type Markup, type Part } from './markup.js';
import { outcomeSection } from './outcome-section.js';
import { pageText } from './page.js';
import { type ReportedRun, type RunFacts, readRunFacts, readValue } from './run-facts.js';
import { type RunSummary, summaryOf } from './run-summary.js';
import { badge } from './status.js';
import { timelineOf } from './timeline.js';
import { timelineSection } from './timeline-section.js';

/** A run's page, and what the overview says of the run. */
export interface RenderedRun {
  readonly page: string;
  readonly summary: RunSummary;
}

/** Renders a run, whatever became of it: one that cannot be read gets a page that says so. */
export function renderRun(run: ReportedRun, { unresolved }: { readonly unresolved: UnresolvedPolicy }): RenderedRun {
  const facts = readRunFacts(run.verdict.run, run.contents);
  const { findings, fromStoredVerdict } = faultsOf(run, { facts, unresolved });
  const numbered = findings.map((finding, at): NumberedFinding => ({ ...finding, number: at + 1 }));
  const summary = summaryOf(run, { facts, findings });
  const page = new RunPage({ run, facts, findings: numbered, fromStoredVerdict, summary });
  return { page: page.text(), summary };
}

interface Parts {
  readonly run: ReportedRun;
  readonly facts: RunFacts;
  readonly findings: readonly NumberedFinding[];
  readonly fromStoredVerdict: boolean;
  readonly summary: RunSummary;
}

type DocumentName = 'request' | 'envelope';

interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Part;
}

const LONGEST_TITLE = 120;

/** Puts the sections of one run together; what they share are the links between them. */
class RunPage {
  readonly #parts: Parts;
  readonly #citations: ShownCitations;
  /** Where in the envelope citations stand, by pointer. */
  readonly #targets: ReadonlyMap<string, Mark>;
  /** Made first, since everything else leads to their lines. */
  readonly #documents: Readonly<Record<DocumentName, ShownLines | null>>;
  readonly #bySpan: ReadonlyMap<string, readonly NumberedFinding[]>;
  readonly #shownSpans = new Map<string, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
    const { run, facts, findings } = parts;
    this.#citations = citationsOf(run, { facts, findings });
    const envelope = readValue(facts.envelope);
    const pointers = this.#citations.shown.flatMap(({ places, evidence }) => [
      ...places,
      ...evidence.map((one) => one.pointer),
    ]);
    this.#targets = envelope === null ? new Map() : targetMarks(pointers, envelope);
    this.#documents = {
      envelope: documentLines(parts, { name: 'envelope', more: [...this.#targets.values()] }),
      request: documentLines(parts, { name: 'request', more: [] }),
    };
    this.#bySpan = bySpan(parts.findings);
  }

  text(): string {
    const { run, summary } = this.#parts;
    const name = cut(run.verdict.run, LONGEST_TITLE);
    const sections = this.#sections();
    return pageText({
      title: `${name} – grounding report`,
      kind: 'run',
      style: RUN_STYLE,
      bar: html`<a class="home" href="../index.html">All runs</a>${badge(summary.state)}<nav aria-label="Sections"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`,
      main: html`${outcomeSection(this.#parts)}
${sections.map(({ id, title, body }) => html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${body}</section>\n`)}`,
    });
  }

  /** In the order in which a reader asks: what is wrong, how it went, what it rests on, the documents themselves. */
  #sections(): readonly Section[] {
    const { run, findings, fromStoredVerdict } = this.#parts;
    // Made first, since it knows which spans the page shows.
    const timeline = this.#timeline();
    const sections: (Section | null)[] = [
      findings.length === 0
        ? null
        : {
            id: 'faults',
            title: 'What was found',
            body: faultsSection(findings, {
              links: { line: (finding) => this.#lineLink(finding), span: (spanId) => this.#spanLink(spanId) },
              fromStored: fromStoredVerdict,
            }),
          },
      timeline,
      this.#citationsSection(),
      this.#derivations(),
      this.#delegations(),
      this.#document('request', 'Request'),
      this.#document('envelope', 'Envelope'),
      { id: 'files', title: 'Files', body: filesSection(run.downloads) },
    ];
    return sections.filter((section) => section !== null);
  }

  #timeline(): Section | null {
    const { facts, findings } = this.#parts;
    const spans = readValue(facts.spans);
    if (spans === null || spans.length === 0) return null;
    const mode = readValue(facts.envelope)?.get('grounding_mode')?.string() ?? null;
    const faulty = new Set(findings.flatMap(({ spanId }) => spanId ?? []));
    const witnessed = this.#parts.run.verdict.grounding?.witness !== undefined;
    const timeline = timelineOf(spans, { mode, faulty, witnessed });
    timeline.rows.forEach(({ row: { span } }, at) => {
      if (!this.#shownSpans.has(span.spanId)) this.#shownSpans.set(span.spanId, `span-${at + 1}`);
    });
    const body = timelineSection(timeline, {
      idOf: (at) => `span-${at + 1}`,
      faultsOf: (spanId) => this.#faultFlags(this.#bySpan.get(spanId) ?? []),
    });
    return { id: 'timeline', title: 'Timeline', body };
  }

  #citationsSection(): Section | null {
    const { run } = this.#parts;
    if (this.#citations.shown.length === 0) return null;
    const body = citationsSection(this.#citations, {
      hasPage: run.hasPage,
      line: (pointer) => this.#pointerLink(pointer),
    });
    return { id: 'citations', title: 'Citations', body };
  }

  #pointerLink(pointer: string): Part {
    const line = this.#targets.get(pointer)?.line;
    const shown = html`<code>${cut(pointer, LONGEST_TITLE)}</code>`;
    if (line === undefined || !this.#documents.envelope?.targets.has(line)) return shown;
    return html`<a href="#envelope-${line}">${shown}</a>`;
  }

  #derivations(): Section | null {
    const { run, facts } = this.#parts;
    const envelope = readValue(facts.envelope);
    const payload = envelope?.present('payload');
    if (payload === undefined) return null;
    const agentId = envelope?.get('agent_id')?.string() ?? '';
    const version = envelope?.get('agent_version')?.string() ?? '';
    const derivations = [...run.derivationsOf({ agentId, version }), ...derivationLabels(payload)];
    if (derivations.length === 0) return null;
    return { id: 'derivations', title: 'Derivations', body: derivationsSection(derivations) };
  }

  #delegations(): Section | null {
    const { run, facts } = this.#parts;
    const envelope = readValue(facts.envelope);
    const delegations = envelope === null ? null : delegationsOf(envelope);
    if (delegations === null) return null;
    return { id: 'delegations', title: 'Delegations', body: delegationsSection(delegations, run) };
  }

  #document(id: DocumentName, title: string): Section | null {
    const lines = this.#documents[id];
    if (lines === null) return null;
    const refused = this.#parts.facts[id].kind === 'refused';
    const unread = refused && html`<p class="note">This file cannot be read; here is what it holds.</p>`;
    return { id, title, body: html`${unread}${documentSection({ id, name: `${title}, as stored`, lines })}` };
  }

  #lineLink({ place }: Finding): Part {
    if (place.line === null) return null;
    const file = place.file.slice(place.file.lastIndexOf('/') + 1);
    const id = file === 'envelope.json' ? 'envelope' : file === 'request.json' ? 'request' : null;
    const text = `${file} line ${place.line}`;
    if (id === null || !this.#documents[id]?.targets.has(place.line)) return html`<span>${text}</span> `;
    return html`<a href="#${id}-${place.line}">${text}</a> `;
  }

  #spanLink(spanId: string): Part {
    const id = this.#shownSpans.get(spanId);
    const shown = cut(spanId, LONGEST_TITLE);
    return id === undefined ? html`<span>span ${shown}</span> ` : html`<a href="#${id}">span ${shown}</a> `;
  }

  #faultFlags(findings: readonly NumberedFinding[]): Markup | null {
    if (findings.length === 0) return null;
    const byRule = new Map(findings.map((finding) => [finding.rule, finding] as const));
    return html`${[...byRule.values()].map((finding) => html` <a class="flag" href="${faultHref(finding)}">${finding.rule}</a>`)}`;
  }
}

/** The lines of a document, with everything that is said about them; null when there is no such file. */
function documentLines(
  { run, facts, findings }: Parts,
  { name, more }: { readonly name: DocumentName; readonly more: readonly Mark[] },
): ShownLines | null {
  const bytes = run.contents[name];
  if (bytes === undefined) return null;
  const document = facts[name];
  const root = readValue(document);
  const hrefOf = (found: (finding: NumberedFinding) => boolean): string => {
    const finding = findings.find(found);
    return finding === undefined ? '#faults' : faultHref(finding);
  };
  const tests = run.verdict.tampering.map(({ test, message }) => ({
    test,
    href: hrefOf((one) => one.rule === 'tampered' && one.message === message),
  }));
  const marks = [
    ...marksIn(`${name}.json`, findings),
    ...(root === null ? [] : tamperMarks(tests, { name, root })),
    ...(document.kind === 'refused' && document.line !== null
      ? [
          {
            line: document.line,
            column: 1,
            fault: { label: 'unreadable', href: hrefOf((one) => one.rule === 'unreadable') },
          },
        ]
      : []),
    ...more,
  ];
  return shownLines(bytes, { marks, hidden: name === 'envelope' && root !== null ? uncovered(root) : [] });
}

function bySpan(findings: readonly NumberedFinding[]): ReadonlyMap<string, readonly NumberedFinding[]> {
  const found = new Map<string, NumberedFinding[]>();
  for (const finding of findings) {
    if (finding.spanId === null) continue;
    const known = found.get(finding.spanId);
    if (known === undefined) found.set(finding.spanId, [finding]);
    else known.push(finding);
  }
  return found;
}
