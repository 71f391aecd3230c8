import { cut } from '../report/visible.js';
import { html, type Markup } from './markup.js';
import type { Download } from './run-facts.js';
import { sizeText } from './wording.js';

const LONGEST_NAME = 200;

/** What each file of a run is (contract 7). */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['request.json', 'The request as the agent was given it'],
  ['envelope.json', 'The judged result'],
  ['spans.jsonl', 'The trace, one span a line'],
  ['grounding.txt', 'What the linter said when the run was stored'],
  ['sources.txt', 'What the source check said when the run was stored'],
  ['crate/ro-crate-metadata.json', 'The run crate: who ran what for whom'],
]);

/** The files of the run, to download. */
export function filesSection(downloads: readonly Download[]): Markup {
  if (downloads.length === 0) return html`<p class="note">There is no file of this run that could be read.</p>`;
  return html`<div class="scroll" role="group" aria-label="Files" tabindex="0"><table>
    <thead><tr><th scope="col">File</th><th scope="col">What it is</th><th scope="col" class="number">Size</th><th scope="col">SHA-256</th></tr></thead>
    <tbody>${downloads.map(
      ({ name, href, size, sha256 }) => html`<tr>
      <th scope="row"><a href="${href}" download="${name.slice(name.lastIndexOf('/') + 1)}">${cut(name, LONGEST_NAME)}</a></th>
      <td>${MEANINGS.get(name) ?? 'A file of the run crate that is not the run’s own any more'}</td><td class="number">${sizeText(size)}</td><td><code>${sha256}</code></td>
    </tr>`,
    )}</tbody></table></div>`;
}
