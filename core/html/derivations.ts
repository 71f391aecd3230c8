import type { JsonNode } from '../json/index.js';
import type { DeclaredDerivation } from '../report/run-report.js';
import { cut } from '../report/visible.js';
import { html, type Markup } from './markup.js';
import { counted } from './wording.js';

const MOST = 100;
const LONGEST_TEXT = 300;
const SUFFIX = '_derivation';
const HOWS: ReadonlySet<string> = new Set(['template', 'model', 'lexical', 'registry']);

/**
 * The labels by which a payload says how its values were made: members such as `rationale_derivation` (grounding.txt), at
 * any depth, the first hundred. Nothing checks them.
 */
export function derivationLabels(payload: JsonNode | undefined): readonly DeclaredDerivation[] {
  const found: DeclaredDerivation[] = [];
  const stack: { readonly node: JsonNode; readonly path: string }[] =
    payload === undefined ? [] : [{ node: payload, path: '' }];
  for (let step = stack.pop(); step !== undefined && found.length < MOST; step = stack.pop()) {
    const { node, path } = step;
    const below: typeof stack = [];
    node.items().forEach((item, at) => {
      if (item.size > 0) below.push({ node: item, path: `${path}[${at}]` });
    });
    for (const [key, value] of node.entries()) {
      if (found.length === MOST) return found;
      const at = path === '' ? key : `${path}.${key}`;
      const how = key.endsWith(SUFFIX) ? value.string() : undefined;
      if (how !== undefined && HOWS.has(how)) found.push({ field: at.slice(0, -SUFFIX.length), how, recordedIn: at });
      else if (value.size > 0) below.push({ node: value, path: at });
    }
    stack.push(...below.reverse());
  }
  return found;
}

/** How values were made, in the agent's own words. */
export function derivationsSection(derivations: readonly DeclaredDerivation[]): Markup {
  const shown = derivations.slice(0, MOST);
  return html`<p class="note"><span class="stamp">declared, not checked</span> How a value was made is the agent’s own word. Neither check looks at it.</p>
    <div class="scroll" role="group" aria-label="Derivations" tabindex="0"><table>
      <thead><tr><th scope="col">Value</th><th scope="col">Made by</th><th scope="col">Recorded in</th></tr></thead>
      <tbody>${shown.map(({ field, how, recordedIn }) => html`<tr><th scope="row"><code>${cut(field, LONGEST_TEXT)}</code></th><td>${cut(how, LONGEST_TEXT)}</td><td>${recordedIn === null ? 'the agent’s declaration' : html`<code>${cut(recordedIn, LONGEST_TEXT)}</code>`}</td></tr>`)}</tbody>
    </table></div>
    ${derivations.length > shown.length && html`<p class="note">${counted(derivations.length - shown.length, 'more label')} are not shown.</p>`}`;
}
