import { shortHash } from '../model/wording.js';
import { cut } from '../report/visible.js';
import type { Span } from '../trace/index.js';
import { html, type Markup, type Part } from './markup.js';
import type { G1Moment, Timeline, TimelineRow } from './timeline.js';
import { counted, durationText, tickText } from './wording.js';

const LONGEST_NAME = 80;
const LONGEST_SIGN = 160;
/** Documents that a row names. */
const MOST_DOCUMENTS = 3;
/** Levels that are indented; deeper ones are told by number. */
const DEEPEST = 12;
/** Bars below this share of the width are drawn as a line, so that they can be seen at all. */
const THINNEST = 0.4;

/** What the section needs beside the timeline: how the faults about a span are reached. */
export interface TimelineLinks {
  readonly faultsOf: (spanId: string) => Part;
  /** The id of a row, by its number from 0. */
  readonly idOf: (at: number) => string;
}

/** The span tree as a table whose bars are drawn to one scale, with the moment from which G1 lets a model be asked. */
export function timelineSection(timeline: Timeline, links: TimelineLinks): Markup {
  const { rows, more, length, g1, axisEnd } = timeline;
  return html`
    <p class="note">${counted(rows.length + more, 'span')}${length === null ? ', without times' : html` over ${durationText(length)}`}.
      Spans and their times are the agent’s own declaration${timeline.witnessed && ', but for those that the conductor witnessed'}. ${axisEnd !== null && html`The axis ends at ${durationText(axisEnd)}, a little after the last step; what goes on beyond it runs off its edge. `}${g1 === null ? '' : g1Text(g1)}</p>
    <div class="scroll" role="group" aria-label="Timeline" tabindex="0">
      <table class="timeline">
        <caption class="hidden">Spans of the run, children below their parents</caption>
        <thead><tr>
          <th scope="col">Span</th><th scope="col">Taken for</th>
          <th scope="col" class="lane"><span class="hidden">Drawn to scale</span>${axis(timeline)}</th>
          <th scope="col" class="number">Begins</th><th scope="col" class="number">Takes</th><th scope="col">Source</th>
        </tr></thead>
        <tbody>${rows.map((row, at) => spanRow(row, { timeline, links, at }))}</tbody>
      </table>
    </div>
    ${legend(g1)}
    ${more > 0 && html`<p class="note">${counted(more, 'more span')} in spans.jsonl ${more === 1 ? 'is' : 'are'} not shown.</p>`}`;
}

function g1Text({ ns }: G1Moment): Markup {
  if (ns === null) return html`<strong>No retrieval finished, so that G1 allows no model call at any time.</strong>`;
  return html`G1 turns on at <strong>+${durationText(ns)}</strong>, when the first retrieval finished: from then on a model may be asked.`;
}

function axis({ ticks, g1 }: Timeline): Markup {
  return html`<svg class="axis" width="100%" height="42" aria-hidden="true">
    ${ticks.map(({ at, ns }) => html`<line class="tick" x1="${at}%" x2="${at}%" y1="35" y2="42"/><text x="${at}%" y="30" text-anchor="${anchorAt(at)}">${tickText(ns)}</text>`)}
    ${g1?.at !== undefined && g1.at !== null && html`<line class="g1" x1="${g1.at}%" x2="${g1.at}%" y1="17" y2="42"/><text class="moment" x="${g1.at}%" y="12" text-anchor="${anchorAt(g1.at)}">G1 turns on</text>`}
  </svg>`;
}

/** A label at the edge stays within the lane. */
function anchorAt(percent: number): string {
  if (percent < 6) return 'start';
  return percent > 94 ? 'end' : 'middle';
}

function spanRow(
  { row, kind, bar }: TimelineRow,
  { timeline, links, at }: { readonly timeline: Timeline; readonly links: TimelineLinks; readonly at: number },
): Markup {
  const { span } = row;
  const { first, g1 } = timeline;
  const faults = links.faultsOf(span.spanId);
  return html`<tr id="${links.idOf(at)}" class="${faults === null ? '' : 'faulty'}">
    <th scope="row"><span class="depth d${Math.min(row.depth, DEEPEST)}">${row.depth > 0 && html`<span class="hidden">level ${row.depth}: </span>`}<span class="name">${cut(span.name, LONGEST_NAME)}</span></span>${faults}</th>
    <td>${takenFor(row, timeline)}</td>
    <td class="lane">${lane({ bar, kind, failed: span.failed, g1 })}</td>
    <td class="number">${span.start === null || first === null ? 'not stated' : `+${durationText(span.start - first)}`}</td>
    <td class="number">${span.start === null || span.end === null ? 'not stated' : durationText(span.end - span.start)}</td>
    <td>${sources(span)}</td>
  </tr>`;
}

function lane(given: {
  readonly bar: TimelineRow['bar'];
  readonly kind: string;
  readonly failed: boolean;
  readonly g1: G1Moment | null;
}): Markup {
  const { bar, kind, failed, g1 } = given;
  const shape = `bar ${kind}${failed ? ' broken' : ''}`;
  return html`<svg width="100%" height="24" aria-hidden="true">
    ${g1 !== null && html`<rect class="before" x="0" y="0" width="${g1.at ?? 100}%" height="24"/>`}
    ${bar !== null && bar.width < THINNEST && html`<line class="${shape} thin" x1="${bar.from}%" x2="${bar.from}%" y1="5" y2="19"/>`}
    ${bar !== null && bar.width >= THINNEST && html`<rect class="${shape}" x="${bar.from}%" y="${kind === 'agent' ? 10 : 6}" width="${bar.width}%" height="${kind === 'agent' ? 4 : 12}" rx="2"/>`}
    ${g1?.at !== undefined && g1.at !== null && html`<line class="g1" x1="${g1.at}%" x2="${g1.at}%" y1="0" y2="24"/>`}
  </svg>`;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['root', 'the run'],
  ['chat', 'model call'],
  ['wire', 'model call over HTTP'],
  ['other', 'nothing known'],
]);

/** What the span is taken for and by which sign: a reader must be able to see why a rule counts it. What matters more stands first. */
function takenFor({ span, detached }: TimelineRow['row'], { witnessed }: Timeline): Markup {
  const { role, signs, conflict, modelUse } = span.recognition;
  const by = signs.map((sign) => cut(sign, LONGEST_SIGN)).join(', ');
  return html`<span class="role">${WORDS.get(role) ?? role}</span>${[
    witnessed && span.facts.witnessed === true && html` <span class="stamp">witnessed</span>`,
    conflict !== null && html` <span class="flag">contradictory</span>`,
    detached && html` <span class="flag">hangs from nothing</span>`,
    span.failed && html` <span class="flag">status ERROR</span>`,
    by !== '' && html` <span class="sign">by ${by}</span>`,
    modelUse !== null && html` <span class="sign">states the use of a model (${cut(modelUse, LONGEST_SIGN)})</span>`,
  ]}`;
}

function sources({ facts }: Span): Part {
  const { sourceId, contentHash, documents = [] } = facts;
  const own = sourceId === undefined && contentHash === undefined ? [] : [{ sourceId, contentHash }];
  const told = [...own, ...documents.slice(0, MOST_DOCUMENTS)].map(
    (one) =>
      html`<div class="source"><span class="id">${cut(one.sourceId ?? 'no id', LONGEST_NAME)}</span> <code>${shortHash(one.contentHash ?? 'no hash')}</code></div>`,
  );
  if (documents.length > MOST_DOCUMENTS) told.push(html`<div>and ${documents.length - MOST_DOCUMENTS} more</div>`);
  return told;
}

function legend(g1: G1Moment | null): Markup {
  return html`<ul class="legend" aria-label="How spans are drawn">
    <li>${swatch('retrieval')}retrieval</li><li>${swatch('chat')}model call</li><li>${swatch('agent')}agent or run</li><li>${swatch('step')}any other step</li>
    ${g1 !== null && html`<li><svg width="28" height="14" aria-hidden="true"><rect class="before" width="20" height="14"/><line class="g1" x1="20" x2="20" y1="0" y2="14"/></svg>before G1 turns on no model may be asked</li>`}
  </ul>`;
}

function swatch(kind: string): Markup {
  const flat = kind === 'agent';
  return html`<svg width="28" height="14" aria-hidden="true"><rect class="bar ${kind}" x="1" y="${flat ? 5 : 1}" width="26" height="${flat ? 4 : 12}" rx="2"/></svg>`;
}
