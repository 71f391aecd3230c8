import { scaleLinear } from 'd3-scale';
import { area, curveStepAfter, stack } from 'd3-shape';
import type { RunState } from '../model/stored-run.js';
import { edgeText } from './buckets.js';
import { html, type Markup, type Part } from './markup.js';
import type { Overview, StateCounts } from './overview-stats.js';
import { icon, STATES } from './status.js';
import { counted, grouped, timeText } from './wording.js';

/** From the ground up: what is in order first, so that the rest stands out on top of it. */
const ORDER: readonly RunState[] = ['passed', 'withheld', 'failed', 'tampered', 'unreadable'];
const HEIGHT = 180;
/** Room below the bars for the labels, and above them for the highest tick. */
const BELOW = 24;
const ABOVE = 8;
const MOST_LABELS = 6;

/** Runs over the time of their invocation, stacked by state, and the same numbers as a table. */
export function trendChart({ buckets, trend, timeless }: Overview): Markup {
  if (buckets === null) return html`<p class="note">No run tells when it was invoked.</p>`;
  const { edges } = buckets;
  const most = Math.max(1, ...trend.map(sumOf));
  const y = scaleLinear().domain([0, most]).range([HEIGHT, ABOVE]).nice(4);
  const ticks = y.ticks(4).filter(Number.isInteger);
  const x = (at: number): number => (at / trend.length) * 100;
  const layers = stack<unknown, StateCounts, RunState>()
    .keys(ORDER)
    .value((counts, state) => counts[state])([...trend]);
  const every = Math.ceil(trend.length / MOST_LABELS);
  const label = (edge: number): string => edgeText(edge, buckets);
  const bars = trend.map((counts, at): Part => {
    if (sumOf(counts) === 0) return null;
    const [from = 0, to = 0] = edges.slice(at, at + 2);
    const rects = layers.map((layer) => {
      const [low = 0, high = 0] = layer[at] ?? [];
      if (high === low) return null;
      const top = y(high);
      return html`<rect class="fill ${layer.key}" x="${x(at)}%" width="${x(1) * 0.86}%" y="${top}" height="${y(low) - top}"/>`;
    });
    return html`<a href="#from=${from}&amp;to=${to}" tabindex="-1"><title>${label(from)}: ${spoken(counts)}</title><rect class="catch" x="${x(at)}%" width="${x(1)}%" y="0" height="${HEIGHT}"/>${rects}</a>`;
  });
  const period =
    buckets.first === buckets.last
      ? `at ${timeText(buckets.first)}`
      : `from ${timeText(buckets.first)} to ${timeText(buckets.last)}`;
  return html`<p class="note">By the time of their invocation, ${period}.</p><figure class="trend">
    <div class="plot" aria-hidden="true">
      <svg class="ticks" width="44" height="${HEIGHT + BELOW}">${ticks.map((tick) => html`<text x="38" y="${y(tick) + 4}" text-anchor="end">${grouped(tick)}</text>`)}</svg>
      <svg class="bars" width="100%" height="${HEIGHT + BELOW}">${PATTERNS}
        ${ticks.map((tick) => html`<line class="grid" x1="0" x2="100%" y1="${y(tick)}" y2="${y(tick)}"/>`)}
        ${bars}
        ${edges.slice(0, -1).map((edge, at) => at % every === 0 && html`<text class="${(at / every) % 2 === 1 ? 'minor' : ''}" x="${x(at)}%" y="${HEIGHT + 18}">${label(edge)}</text>`)}
      </svg>
    </div>
    <figcaption>${ORDER.map((state) => html`<span class="key ${state}">${icon(state)}${STATES[state].word}</span>`)}</figcaption>
    ${timeless > 0 && html`<p class="note">${counted(timeless, 'run')} ${timeless === 1 ? 'tells' : 'tell'} no time and ${timeless === 1 ? 'is' : 'are'} not in the chart.</p>`}
    <details><summary>The same as a table</summary>${trendTable({ edges, trend })}</details>
  </figure>`;
}

/** Fills that can be told apart without their colours; the chart is one of a kind on its page. */
const PATTERNS = html`<defs>
  <pattern id="hatch-withheld" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="tint" width="6" height="6"/><rect class="ink" width="2.5" height="6"/></pattern>
  <pattern id="hatch-tampered" width="5" height="5" patternUnits="userSpaceOnUse"><rect class="tint" width="5" height="5"/><circle class="ink" cx="2.5" cy="2.5" r="1.4"/></pattern>
</defs>`;

function trendTable({
  edges,
  trend,
}: {
  readonly edges: readonly number[];
  readonly trend: readonly StateCounts[];
}): Markup {
  const rows = trend.flatMap((counts, at) => {
    const [from = 0, to = 0] = edges.slice(at, at + 2);
    if (sumOf(counts) === 0) return [];
    return [
      html`<tr><th scope="row"><a href="#from=${from}&amp;to=${to}">${timeText(from)}</a></th>${ORDER.map((state) => html`<td class="number">${grouped(counts[state])}</td>`)}</tr>`,
    ];
  });
  return html`<div class="scroll" role="group" aria-label="Runs over time" tabindex="0"><table>
    <thead><tr><th scope="col">From</th>${ORDER.map((state) => html`<th scope="col" class="number">${STATES[state].word}</th>`)}</tr></thead>
    <tbody>${rows}</tbody></table></div>`;
}

/** A line of counts over time: all runs, and in front of them those that did not pass. */
export function sparkline(trend: readonly number[], badTrend: readonly number[]): Markup | null {
  if (trend.length < 2) return null;
  const [width, height] = [110, 22];
  const x = scaleLinear().domain([0, trend.length]).range([0, width]);
  const y = scaleLinear()
    .domain([0, Math.max(1, ...trend)])
    .range([height, 1]);
  const path = (counts: readonly number[]): string =>
    area<number>(
      (_, at) => x(at),
      height,
      (count) => y(count),
    )
      .digits(1)
      .curve(curveStepAfter)([...counts, counts.at(-1) ?? 0]) ?? '';
  return html`<svg class="spark" width="${width}" height="${height}" aria-hidden="true"><path class="all" d="${path(trend)}"/><path class="bad" d="${path(badTrend)}"/></svg>`;
}

function spoken(counts: StateCounts): string {
  return ORDER.filter((state) => counts[state] > 0)
    .map((state) => `${grouped(counts[state])} ${STATES[state].word.toLowerCase()}`)
    .join(', ');
}

function sumOf(counts: StateCounts): number {
  return ORDER.reduce((sum, state) => sum + counts[state], 0);
}
