import type { Run } from './rows.js';

/** Puts rows in place of those that are there. Every text goes in as text. */
export function drawRows(list: HTMLElement, runs: readonly Run[]): void {
  list.replaceChildren(...runs.map(rowOf));
}

function rowOf(run: Run): HTMLElement {
  const row = document.createElement('tr');
  const link = document.createElement('a');
  link.href = `runs/${run.page}.html`;
  link.textContent = run.run;
  link.className = 'mono';
  const head = document.createElement('th');
  head.scope = 'row';
  head.append(link, ...(run.fixture === '' ? [] : [small(run.fixture)]));
  const outcome = cell(run.outcome);
  if (run.statement !== '') outcome.append(small(run.statement));
  row.append(
    cell(badgeOf(run.state)),
    head,
    cell(run.agent === '' ? 'not known' : run.agent),
    cell(timeOf(run.ms)),
    outcome,
    cell(run.rules.join(' ')),
    cell(sourcesOf(run)),
  );
  return row;
}

function cell(content: string | Node): HTMLElement {
  const made = document.createElement('td');
  made.append(content);
  return made;
}

function small(text: string): HTMLElement {
  const made = document.createElement('span');
  made.className = 'small';
  made.textContent = text;
  return made;
}

/** A copy of the badge that the page brought along. */
function badgeOf(state: string): Node {
  const templates = document.getElementById('badges');
  const known = templates instanceof HTMLTemplateElement ? templates.content.querySelector(`.badge.${state}`) : null;
  return known?.cloneNode(true) ?? document.createTextNode(state);
}

function sourcesOf({ verified, unresolved }: Run): string {
  const told = [
    ...(verified > 0 ? [`${verified} verified`] : []),
    ...(unresolved > 0 ? [`${unresolved} unresolved`] : []),
  ];
  return told.join(', ');
}

function timeOf(ms: number): string {
  return ms === 0 || ms > 8.64e15 ? 'not known' : new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
