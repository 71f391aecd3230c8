import type { Finding } from '../report/finding.js';
import { findingPage } from '../report/finding-pages.js';
import { cut } from '../report/visible.js';
import type { NumberedFinding } from './marks.js';
import { html, type Markup, type Part } from './markup.js';
import { prose } from './prose.js';
import { counted } from './wording.js';

/** Findings of one rule that a page lists. */
const MOST_A_RULE = 50;
const LONGEST_MESSAGE = 2000;
const LONGEST_ID = 300;

/** Where a finding's place is shown on the page; null when it is not shown. */
export interface FaultLinks {
  readonly line: (finding: Finding) => Part;
  readonly span: (spanId: string) => Part;
}

const LEVELS = { error: 'Fault', warning: 'Warning', note: 'Note' } as const;

/** Everything that was found, by rule: what the rule asks, why, how to mend it, then each case with its place. */
export function faultsSection(
  findings: readonly NumberedFinding[],
  { links, fromStored }: { readonly links: FaultLinks; readonly fromStored: boolean },
): Markup {
  const groups = new Map<string, NumberedFinding[]>();
  for (const finding of findings) {
    const key = `${finding.level} ${finding.rule}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return html`${
    fromStored &&
    html`<p class="note">The run was stored without what it was withheld for, so that nothing can be judged again:
      these are the faults that its own grounding.txt and sources.txt list.</p>`
  }
    ${[...groups.values()].map((group) => faultGroup(group, links))}`;
}

function faultGroup(group: readonly NumberedFinding[], links: FaultLinks): Part {
  const [first] = group;
  if (first === undefined) return null;
  const page = findingPage(first.rule);
  const shown = group.slice(0, MOST_A_RULE);
  return html`<article class="fault ${first.level}">
    <h3><span class="rule">${first.rule}</span> <span class="asks">${page.title}</span> <span class="level">${LEVELS[first.level]}</span></h3>
    <ul class="cases">${shown.map((finding) => faultCase(finding, links))}</ul>
    ${group.length > shown.length && html`<p class="note">${counted(group.length - shown.length, 'more case')} of this rule: run <code>grounding lint</code> to list all.</p>`}
    <dl class="advice"><dt>Why</dt><dd>${prose(page.why)}</dd><dt>How to mend it</dt><dd>${prose(page.mend)}</dd></dl>
  </article>`;
}

function faultCase(finding: NumberedFinding, links: FaultLinks): Markup {
  const { number, message, sourceId, pointer, spanId } = finding;
  const where: Part[] = [links.line(finding), spanId === null ? null : links.span(spanId)];
  return html`<li id="fault-${number}" tabindex="-1"><p class="message">${cut(message, LONGEST_MESSAGE)}</p>
    <p class="where">${where}${pointer !== null && pointer !== '' && html` <span>at <code>${cut(pointer, LONGEST_ID)}</code></span>`}${
      sourceId !== null && html` <span>source <code>${cut(sourceId, LONGEST_ID)}</code></span>`
    }</p></li>`;
}
