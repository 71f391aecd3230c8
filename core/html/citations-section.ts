import { shortHash } from '../model/wording.js';
import { cut } from '../report/visible.js';
import type { Beside, ShownCitation, ShownCitations, ShownEvidence } from './citations.js';
import type { ComparedMember, Comparison, Piece } from './compare.js';
import { faultHref } from './marks.js';
import { html, type Markup, type Part } from './markup.js';
import { safeName } from './names.js';
import { counted } from './wording.js';

const LONGEST_TEXT = 300;

/** How citations reach what else is on the page and in the report. */
export interface CitationLinks {
  readonly hasPage: (run: string) => boolean;
  readonly line: (pointer: string) => Part;
}

/** Every citation with its evidence, beside what the source itself says. */
export function citationsSection({ shown, more }: ShownCitations, links: CitationLinks): Markup {
  return html`${shown.map((citation, at) => citationCard(citation, { links, number: at + 1 }))}
    ${more > 0 && html`<p class="note">${counted(more, 'more citation')} in envelope.json ${more === 1 ? 'is' : 'are'} not shown.</p>`}`;
}

function citationCard(
  citation: ShownCitation,
  { links, number }: { readonly links: CitationLinks; readonly number: number },
): Markup {
  const { sourceId, contentHash, places, morePlaces, evidence, basis, faults } = citation;
  return html`<article class="citation${faults.length > 0 ? ' faulty' : ''}" id="citation-${number}">
    <h3 class="id">${cut(sourceId, LONGEST_TEXT)}</h3>
    <p class="where">${basis !== null && html`<span class="stamp">${basis}</span>`}<span>hash <code title="${contentHash}">${shortHash(contentHash)}</code></span> ${
      places.length === 0
        ? html`<span>nothing in the payload cites it</span>`
        : html`<span>cited at ${places.map((pointer, at) => html`${at > 0 ? ', ' : ''}${links.line(pointer)}`)}${morePlaces > 0 && `, and ${morePlaces} more places`}</span>`
    } ${onePerRule(faults).map((finding) => html`<a class="flag" href="${faultHref(finding)}">${finding.rule}</a> `)}</p>
    ${evidence.length === 0 && html`<p class="verdict bad">There is no evidence for this citation.</p>`}
    ${evidence.map((item) => evidenceBlock(item, { contentHash, links }))}
  </article>`;
}

/** A citation that breaks a rule in several places leads to the first. */
function onePerRule(faults: ShownCitation['faults']): ShownCitation['faults'] {
  const rules = new Set<string>();
  return faults.filter(({ rule }) => !rules.has(rule) && rules.add(rule));
}

function evidenceBlock(
  { pointer, node, note, beside, comparison }: ShownEvidence,
  { contentHash, links }: { readonly contentHash: string; readonly links: CitationLinks },
): Markup {
  const said = ['snapshot_ref', 'canonicalisation', 'hash_algorithm', 'retrieved_at', 'source_uri'].flatMap((key) => {
    const text = node.get(key)?.string();
    return text === undefined ? [] : [html`<dt>${key}</dt><dd>${cut(text, LONGEST_TEXT)}</dd>`];
  });
  return html`<dl class="facts small"><dt>evidence</dt><dd>${links.line(pointer)}</dd>${said}</dl>
    ${besideText(beside, { contentHash, links, comparison })}
    ${note !== null && html`<p class="note">${note}</p>`}
    ${comparison !== null && comparison.members.length > 0 && sideBySide(comparison, beside)}`;
}

interface Told {
  readonly contentHash: string;
  readonly links: CitationLinks;
  readonly comparison: Comparison | null;
}

function besideText(beside: Beside, { contentHash, links, comparison }: Told): Markup {
  switch (beside.kind) {
    case 'record':
      if (beside.hash === null)
        return bad(html`The record is in <code>${beside.copy}</code>, and nothing can be compared. ${beside.note}`);
      if (beside.hash === contentHash)
        return good(
          html`The pinned copy <code>${beside.copy}</code> has this record, and it hashes to what the evidence states.`,
        );
      return bad(
        html`The record in <code>${beside.copy}</code> hashes to <code title="${beside.hash}">${shortHash(beside.hash)}</code>, the evidence states <code>${shortHash(contentHash)}</code>.${differText(comparison)}`,
      );
    case 'no-record':
      return bad(html`The pinned copy <code>${beside.copy}</code> holds no such record.`);
    case 'unresolved':
      return html`<p class="verdict open">Unresolved: no pinned copy serves <code>${beside.snapshotRef ?? 'live'}</code>, so that nobody looked this up. It counts as nothing.</p>`;
    case 'input':
      return beside.hash === contentHash
        ? good(html`This is the input of the run, as the request holds it.`)
        : bad(
            html`The input in the request hashes to <code title="${beside.hash}">${shortHash(beside.hash)}</code>, not to what is cited.`,
          );
    case 'run':
      return html`<p class="verdict run">A run that the conductor made for this one: ${runLink(beside.run, links)}. It has a verdict of its own.</p>`;
    case 'none':
      return html`<p class="verdict open">${beside.why}</p>`;
  }
}

function differText(comparison: Comparison | null): string {
  const differing = comparison?.differing ?? 0;
  if (differing === 0) return '';
  return differing === 1 ? ' One member differs.' : ` ${differing} members differ.`;
}

function good(text: Markup): Markup {
  return html`<p class="verdict good">${text}</p>`;
}

function bad(text: Markup): Markup {
  return html`<p class="verdict bad">${text}</p>`;
}

function runLink(run: string, { hasPage }: CitationLinks): Markup {
  return hasPage(run) ? html`<a href="${safeName(run)}.html">${run}</a>` : html`<code>${cut(run, LONGEST_TEXT)}</code>`;
}

/** Two columns where there are two documents to compare; the head of the second says whose it is. */
function sideBySide({ members, more }: Comparison, beside: Beside): Markup {
  const right = beside.kind === 'input' ? 'The request’s input' : 'The source’s own record';
  const hasRight = members.some((member) => member.right !== null);
  const hasLeft = members.some((member) => member.left !== null);
  return html`<div class="scroll" role="group" aria-label="Evidence and record" tabindex="0"><table class="beside">
    <thead><tr><th scope="col">Member</th>${hasLeft && html`<th scope="col">What the evidence says</th>`}${hasRight && html`<th scope="col">${right}</th>`}</tr></thead>
    <tbody>${members.map((member) => memberRow(member, { hasLeft, hasRight }))}</tbody>
  </table></div>${more > 0 && html`<p class="note">${counted(more, 'more member')} ${more === 1 ? 'is' : 'are'} not shown.</p>`}`;
}

function memberRow(
  { key, left, right, same }: ComparedMember,
  { hasLeft, hasRight }: { readonly hasLeft: boolean; readonly hasRight: boolean },
): Markup {
  const differs = hasLeft && hasRight && !same;
  return html`<tr class="${differs ? 'differs' : ''}"><th scope="row">${cut(key, LONGEST_TEXT)}${differs && html` <span class="flag">differs</span>`}</th>${
    hasLeft && html`<td>${value(left)}</td>`
  }${hasRight && html`<td>${value(right)}</td>`}</tr>`;
}

function value(pieces: readonly Piece[] | null): Markup {
  if (pieces === null) return html`<span class="absent">not there</span>`;
  return html`<span class="value">${pieces.map(({ text, differs }) => (differs ? html`<mark>${text}</mark>` : text))}</span>`;
}
