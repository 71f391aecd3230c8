import { GROUNDING_MODES } from '../model/report.js';
import { RUN_STATES, type RunState } from '../model/stored-run.js';
import { findingPage } from '../report/finding-pages.js';
import { cut, visible } from '../report/visible.js';
import { OVERVIEW_SCRIPT, OVERVIEW_STYLE } from './generated/assets.js';
import { html, jsonBlock, type Markup, type Part } from './markup.js';
import type { OverviewRows } from './overview-rows.js';
import { type Group, NO_AGENT, type Overview } from './overview-stats.js';
import { pageHalves } from './page.js';
import { badge, icon, STATES } from './status.js';
import { sparkline, trendChart } from './trend-chart.js';
import { counted, grouped, timeText } from './wording.js';

/** Agents that the table lists; the others are found by the search. */
const MOST_AGENTS = 50;
const LONGEST_NAME = 120;

/** What the overview says about the report itself. */
export interface OverviewFacts {
  /** The folder of the runs, as it was named. */
  readonly runsFolder: string;
  /** When the report was made, milliseconds since the Unix epoch. */
  readonly madeMs: number;
  readonly version: string;
  /** Things that a reader should know and that decide nothing, a line each. */
  readonly notices: readonly string[];
}

/**
 * The overview in three parts, to be written one behind the other: what comes before the rows of `OverviewRows`, what comes
 * after them, and between the two the rows themselves, of which there may be any number.
 */
export function overviewParts(
  overview: Overview,
  { facts, rows }: { readonly facts: OverviewFacts; readonly rows: OverviewRows },
): { readonly before: string; readonly after: string } {
  const [head, tail] = pageHalves({
    title: 'Grounding report',
    kind: 'overview',
    style: OVERVIEW_STYLE,
    script: OVERVIEW_SCRIPT,
    bar: html`<span class="home">Grounding report</span><nav aria-label="Sections"><ul>${SECTIONS.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`,
    main: html`${header(overview, facts)}
${section('trend', trendChart(overview))}
<div class="pair">${section('agents', agentTable(overview))}${section('rules', ruleTable(overview))}</div>
${section('runs', runList(overview))}
<footer><p class="note">Made ${timeText(facts.madeMs)} by grounding-gate ${facts.version}, which judged every run again for it. A pass says that two accounts of a run agree and that what a pinned copy covers is there: not that the text is faithful to its sources.</p></footer>`,
  });
  return {
    before: `${head}${jsonBlock('lists', rows.lists())}\n<script type="application/json" id="rows">[`,
    after: `]</script>\n${tail}`,
  };
}

const SECTIONS = [
  ['trend', 'Trend'],
  ['agents', 'Agents'],
  ['rules', 'Rules'],
  ['runs', 'Runs'],
] as const;
const TITLES: ReadonlyMap<string, string> = new Map([
  ['trend', 'Runs over time'],
  ['agents', 'By agent'],
  ['rules', 'By rule'],
  ['runs', 'All runs'],
]);

function section(id: string, body: Part): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title" tabindex="-1">${TITLES.get(id)}</h2>${body}</section>`;
}

function header({ runs, counts, verified, unresolved, agents }: Overview, facts: OverviewFacts): Markup {
  return html`<div class="head"><h1>Grounding report</h1>
    <p class="lead">${counted(runs, 'run')} of ${counted(agents.length, 'agent')} in <code>${cut(facts.runsFolder, LONGEST_NAME)}</code>, with ${counted(verified, 'verified citation')} and ${grouped(unresolved)} unresolved.</p>
    ${facts.notices.map((notice) => html`<p class="note notice">${cut(notice, 1000)}</p>`)}
    <ul class="tiles">${TILES.map((state) => html`<li><a class="tile ${state}" href="#state=${state}"><span class="count">${grouped(counts[state])}</span><span class="word">${icon(state)}${STATES[state].word}</span></a></li>`)}</ul></div>`;
}

const TILES: readonly RunState[] = ['passed', 'withheld', 'failed', 'tampered', 'unreadable'];

function agentTable({ agents }: Overview): Markup {
  const shown = agents.slice(0, MOST_AGENTS);
  return html`${groupTable(shown, {
    what: 'Agent',
    head: ({ name }) =>
      name === NO_AGENT
        ? html`<a href="#agent=">no known agent</a>`
        : html`<a href="#agent=${fragment(visible(name))}">${cut(name, LONGEST_NAME)}</a>`,
  })}${agents.length > shown.length && html`<p class="note">${counted(agents.length - shown.length, 'more agent')} below.</p>`}`;
}

function ruleTable({ rules }: Overview): Markup {
  if (rules.length === 0) return html`<p class="note">No run breaks a rule.</p>`;
  return groupTable(rules, {
    what: 'Rule',
    head: ({ name }) =>
      html`<a href="#rule=${fragment(name)}">${name}</a> <span class="asks">${findingPage(name).title}</span>`,
  });
}

function groupTable<Name extends string>(
  groups: readonly Group<Name>[],
  { what, head }: { readonly what: string; readonly head: (group: Group<Name>) => Markup },
): Markup {
  return html`<div class="scroll" role="group" aria-label="By ${what.toLowerCase()}" tabindex="0"><table class="groups">
    <thead><tr><th scope="col">${what}</th><th scope="col" class="number">Runs</th><th scope="col">Ended</th><th scope="col">Over time</th></tr></thead>
    <tbody>${groups.map(
      (group) => html`<tr><th scope="row">${head(group)}</th><td class="number">${grouped(group.runs)}</td>
      <td class="ended">${TILES.map((state) => group.counts[state] > 0 && html`<span class="key ${state}">${icon(state)}<span class="hidden">${STATES[state].word} </span>${grouped(group.counts[state])}</span> `)}</td>
      <td>${sparkline(group.trend, group.badTrend)}</td></tr>`,
    )}</tbody>
  </table></div>`;
}

/** As `encodeURIComponent`, and nothing is left that a fragment or the check of links could stumble over. */
function fragment(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27');
}

/** The list itself is drawn by the script, a page at a time, so that ten thousand runs are as light as ten. */
function runList({ runs }: Overview): Markup {
  return html`<form id="filter" role="search" aria-label="Runs">
      <p class="field wide"><label for="q">Search</label><input id="q" name="q" type="search" autocomplete="off" spellcheck="false" placeholder="run, agent, outcome, statement"></p>
      <p class="field"><label for="state">State</label><select id="state" name="state"><option value="">any</option>${TILES.map((state) => html`<option value="${state}">${STATES[state].word.toLowerCase()}</option>`)}</select></p>
      <p class="field"><label for="agent">Agent</label><select id="agent" name="agent"></select></p>
      <p class="field"><label for="rule">Rule</label><select id="rule" name="rule"></select></p>
      <p class="field"><label for="mode">Mode</label><select id="mode" name="mode"><option value="">any</option>${GROUNDING_MODES.map((mode) => html`<option>${mode}</option>`)}</select></p>
      <p class="field"><label for="sort">Order</label><select id="sort" name="sort"><option value="">worst first</option><option value="newest">newest first</option><option value="oldest">oldest first</option></select></p>
      <p class="field"><button type="reset">Clear</button></p>
    </form>
    <p id="period" class="note" hidden></p>
    <p id="told" role="status" class="note">${counted(runs, 'run')}</p>
    <noscript><p class="note">This list needs the page’s own script. Without it, every run has a page in the folder <code>runs</code>.</p></noscript>
    <div class="scroll" role="group" aria-label="Runs" tabindex="0"><table class="list">
      <thead><tr><th scope="col">State</th><th scope="col">Run</th><th scope="col">Agent</th><th scope="col">Invoked</th><th scope="col">Outcome</th><th scope="col">Rules</th><th scope="col">Sources</th></tr></thead>
      <tbody id="list"></tbody>
    </table></div>
    <nav class="pages" aria-label="Pages"><button type="button" id="earlier">Earlier</button> <span id="page"></span> <button type="button" id="later">Later</button></nav>
    <template id="badges">${RUN_STATES.map((state) => badge(state))}</template>`;
}
