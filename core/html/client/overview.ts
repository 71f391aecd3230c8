/** The script of the overview: draws the list, filters and searches it, and keeps what was asked for in the address. */
import { drawRows } from './draw-rows.js';
import { answerTo, EVERYTHING, fragmentOf, type Query, queryIn } from './query.js';
import { readData } from './rows.js';

const PAGE = 100;
/** Some browsers refuse to have the address changed with every key. */
const SETTLE_MS = 250;

const data = readData();
const form = part('filter', HTMLFormElement);
const search = part('q', HTMLInputElement);
const selects = (['state', 'agent', 'rule', 'mode', 'sort'] as const).map((name) => part(name, HTMLSelectElement));
const earlier = part('earlier', HTMLButtonElement);
const later = part('later', HTMLButtonElement);
const title = part('runs-title', HTMLElement);

/** Stands for any agent, since a run's agent may have any name, the empty one included. */
const ANY = '-';

let query: Query = EVERYTHING;
let settling: number | undefined;

fill(part('agent', HTMLSelectElement), [
  ['any', ANY],
  ...[...data.agents].sort().map((name): [string, string] => [name === '' ? 'no known agent' : name, `=${name}`]),
]);
fill(part('rule', HTMLSelectElement), [
  ['any', ''],
  ...[...data.rules].sort().map((name): [string, string] => [name, name]),
]);

form.addEventListener('input', () => ask(queryOfForm()));
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('reset', (event) => {
  event.preventDefault();
  ask(EVERYTHING);
  showInForm();
  search.focus();
});
earlier.addEventListener('click', () => turn(-1));
later.addEventListener('click', () => turn(1));
// A link of a tile, a table or the chart asks for something, and what it asks for is further down.
window.addEventListener('hashchange', () => {
  const asked = queryIn(location.hash);
  if (asked === null) return;
  show(asked);
  showInForm();
  title.focus();
});
// A link to a section would take the query out of the address.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('nav a[href^="#"]') : null;
  const section = document.getElementById(link?.getAttribute('href')?.slice(1) ?? '');
  if (section === null) return;
  event.preventDefault();
  section.scrollIntoView();
  document.getElementById(`${section.id}-title`)?.focus({ preventScroll: true });
});
document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof Element && event.target.closest('input, select, textarea') !== null;
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  search.focus();
});

show(queryIn(location.hash) ?? EVERYTHING);
showInForm();

function ask(asked: Query): void {
  show(asked);
  clearTimeout(settling);
  settling = setTimeout(() => {
    const rest = `${location.pathname}${location.search}`;
    history.replaceState(null, '', `${rest}${fragmentOf(query)}`);
  }, SETTLE_MS);
}

function turn(by: number): void {
  ask({ ...query, page: query.page + by });
  title.focus();
}

function show(asked: Query): void {
  const found = answerTo(asked, data.runs);
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  query = { ...asked, page: Math.min(asked.page, pages) };
  const from = (query.page - 1) * PAGE;
  const shown = found.slice(from, from + PAGE);
  drawRows(part('list', HTMLElement), shown);
  part('told', HTMLElement).textContent =
    found.length === 0
      ? 'No run is like that.'
      : `${from + 1} to ${from + shown.length} of ${found.length} ${found.length === 1 ? 'run' : 'runs'}${
          found.length === data.runs.length ? '' : `, ${data.runs.length} in all`
        }`;
  part('page', HTMLElement).textContent = `Page ${query.page} of ${pages}`;
  earlier.disabled = query.page === 1;
  later.disabled = query.page === pages;
  showPeriod();
}

function showPeriod(): void {
  const { from, to } = query;
  const period = part('period', HTMLElement);
  period.hidden = from === null && to === null;
  const text = (ms: number): string => new Date(Math.min(ms, 8.64e15)).toISOString().slice(0, 19).replace('T', ' ');
  period.textContent = `Invoked${from === null ? '' : ` from ${text(from)}`}${to === null ? '' : ` to ${text(to)}`} UTC; Clear shows all.`;
}

function queryOfForm(): Query {
  const [state, agent, rule, mode, sort] = selects.map(({ value }) => value);
  return {
    ...query,
    q: search.value,
    state: state ?? '',
    agent: agent === undefined || agent === ANY ? null : agent.slice(1),
    rule: rule ?? '',
    mode: mode ?? '',
    sort: sort ?? '',
    page: 1,
  };
}

function showInForm(): void {
  const { q, state, agent, rule, mode, sort } = query;
  search.value = q;
  [state, agent === null ? ANY : `=${agent}`, rule, mode, sort].forEach((value, at) => {
    const select = selects[at];
    if (select !== undefined) select.value = value;
  });
}

function fill(select: HTMLSelectElement, options: readonly [text: string, value: string][]): void {
  select.append(...options.map(([text, value]) => new Option(text, value)));
}

function part<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${id}`);
}
