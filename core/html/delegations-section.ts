import type { JsonNode } from '../json/index.js';
import type { StoredRunVerdict } from '../model/stored-run.js';
import { shortHash } from '../model/wording.js';
import { cut } from '../report/visible.js';
import { html, type Markup, type Part } from './markup.js';
import { safeName } from './names.js';
import { counted } from './wording.js';

const MOST = 200;
const LONGEST_TEXT = 300;

/** Runs above and below this one, as the envelope names them. */
export interface Delegations {
  readonly parent: string | null;
  readonly children: readonly JsonNode[];
}

/** What an envelope says of delegation; null when it says nothing. */
export function delegationsOf(envelope: JsonNode): Delegations | null {
  const parent = envelope.present('parent_invocation_id')?.string() ?? null;
  const children = envelope.get('delegations')?.items() ?? [];
  return parent === null && children.length === 0 ? null : { parent, children };
}

/** The run that asked for this one, and the runs that this one asked for, as links where the report has their pages. */
export function delegationsSection(
  { parent, children }: Delegations,
  { verdict, hasPage }: { readonly verdict: StoredRunVerdict; readonly hasPage: (run: string) => boolean },
): Markup {
  return html`${parent !== null && html`<p>This run was made for the run ${runReference(parent, hasPage)}, which delegated to it.</p>`}
    ${children.length > 0 && childTable(children, { verdict, hasPage })}`;
}

function childTable(
  children: readonly JsonNode[],
  { verdict, hasPage }: { readonly verdict: StoredRunVerdict; readonly hasPage: (run: string) => boolean },
): Markup {
  const shown = children.slice(0, MOST);
  return html`<p class="note">What was delegated is the conductor’s record. Each run has a verdict of its own.</p>
    <div class="scroll" role="group" aria-label="Delegated runs" tabindex="0"><table>
      <thead><tr><th scope="col">Run</th><th scope="col">Agent</th><th scope="col">Ended as</th><th scope="col">Envelope’s hash</th><th scope="col">Stored</th></tr></thead>
      <tbody>${shown.map((child) => childRow(child, { verdict, hasPage }))}</tbody>
    </table></div>
    ${children.length > shown.length && html`<p class="note">${counted(children.length - shown.length, 'more delegation')} in envelope.json.</p>`}`;
}

function childRow(
  child: JsonNode,
  { verdict, hasPage }: { readonly verdict: StoredRunVerdict; readonly hasPage: (run: string) => boolean },
): Markup {
  const text = (key: string): string => cut(child.get(key)?.string() ?? 'not stated', LONGEST_TEXT);
  const id = child.get('delegated_invocation_id')?.string() ?? null;
  const hash = child.get('content_hash')?.string();
  return html`<tr><th scope="row">${id === null ? 'not stated' : runReference(id, hasPage)}</th>
    <td>${text('delegated_agent_id')} ${text('delegated_agent_version')}</td><td>${text('delegated_status')}</td>
    <td>${hash === undefined ? 'not stated' : html`<code title="${hash}">${shortHash(hash)}</code>`}</td><td>${storedAs(id, { verdict, hasPage })}</td></tr>`;
}

function storedAs(
  id: string | null,
  { verdict, hasPage }: { readonly verdict: StoredRunVerdict; readonly hasPage: (run: string) => boolean },
): Part {
  if (id === null) return '';
  if (verdict.absent.includes(id)) return 'not in this archive';
  const wrong = verdict.tampering.some(
    ({ test, message }) => (test === 'child-differs' || test === 'child-missing') && message.includes(id),
  );
  if (wrong) return html`<span class="flag">not as recorded</span>`;
  return hasPage(id) ? 'as recorded' : 'not in this report';
}

function runReference(run: string, hasPage: (run: string) => boolean): Markup {
  if (!hasPage(run)) return html`<code>${cut(run, LONGEST_TEXT)}</code>`;
  return html`<a class="mono" href="${safeName(run)}.html">${run}</a>`;
}
