import type { JsonNode } from '../json/index.js';
import { basisText } from '../report/basis.js';
import { cut } from '../report/visible.js';
import { html, type Markup, type Part } from './markup.js';
import { type ReportedRun, type RunFacts, readValue } from './run-facts.js';
import type { RunSummary } from './run-summary.js';
import { badge, STATES } from './status.js';
import { counted, timeText } from './wording.js';

const LONGEST_ID = 300;
const LONGEST_STATEMENT = 4000;

/** The head of a page: what the run is, what became of it, and what the two checks say. */
export function outcomeSection(given: {
  readonly run: ReportedRun;
  readonly facts: RunFacts;
  readonly summary: RunSummary;
  /** What was found stands in the verdicts that were stored with the run. */
  readonly fromStoredVerdict: boolean;
}): Markup {
  const { run, facts, summary } = given;
  const { verdict } = run;
  const envelope = readValue(facts.envelope);
  const statement = envelope?.get('outcome')?.get('statement')?.string();
  return html`<div class="head">
    <h1><span class="agent">${summary.agent ?? 'A run of no known agent'}</span> <span class="run-id">${cut(verdict.run, LONGEST_ID)}</span></h1>
    <p class="stand">${badge(verdict.state)} <span>${STATES[verdict.state].means}</span></p>
    ${verdict.error !== null && html`<p class="reason">${cut(verdict.error, LONGEST_STATEMENT)}</p>`}
    ${statement !== undefined && html`<figure class="statement"><figcaption>What the run says</figcaption><blockquote>${cut(statement, LONGEST_STATEMENT)}</blockquote></figure>`}
    <dl class="facts">${verdictFacts(run, given.fromStoredVerdict ? summary.rules : [])}${runFacts(envelope, summary)}</dl>
  </div>`;
}

function verdictFacts({ verdict }: ReportedRun, stored: readonly string[]): Part {
  const { grounding, sources, sealed, sourcesDrift } = verdict;
  const basis = basisText(verdict);
  // Of a withheld run nothing is left to be judged again: what it broke stands in its stored verdicts.
  if (stored.length > 0) return fact('Withheld for', stored.join(', '));
  return [
    grounding !== null &&
      fact(
        'Grounding',
        html`${grounding.passed ? 'passed' : html`<strong>failed</strong> ${grounding.rules.join(', ')}`}, mode ${grounding.mode ?? 'unknown'}, ${counted(grounding.retrievals, 'retrieval')}, ${counted(grounding.chats, 'model call')}`,
      ),
    grounding?.isolated !== undefined &&
      fact(
        'Isolated',
        grounding.isolated ? 'yes: only the doors of the gate existed' : 'no: it could reach everything',
      ),
    sources !== null &&
      fact(
        'Sources',
        html`${sources.passed ? '' : html`<strong>failed</strong> ${sources.rules.join(', ')}, `}${sources.verified} verified, ${sources.unresolved.length} unresolved${sourcesDrift && ', other than when it was stored'}`,
      ),
    basis !== null && fact('Rests on', basis),
    sealed !== null && fact('Seal', sealed ? 'covers this run' : 'newer than the seal'),
  ];
}

function runFacts(envelope: JsonNode | null, summary: RunSummary): Part {
  const { ms, fixture } = summary;
  const at = (pointer: string): string | null => {
    const text = envelope?.locate(pointer)?.string();
    return text === undefined ? null : cut(text, LONGEST_ID);
  };
  const told = (name: string, value: string | null): Part => (value === null ? null : fact(name, value));
  return [
    summary.status !== null &&
      fact('Outcome', `${summary.status}${summary.reason === null ? '' : ` (${summary.reason})`}`),
    told('Referred to', at('/outcome/referred_to')),
    told('Invoked', ms === null ? null : timeText(ms)),
    told('Completed', at('/completed_at')),
    told('Agent version', at('/agent_version')),
    told('Acting for', join([at('/acting_for/name'), at('/acting_for/principal_id')])),
    told('Policy', at('/policy_bundle_ref')),
    told('Model', join([at('/telemetry/model_id'), tokens(envelope)])),
    told('Conversation', at('/conversation_id')),
    told('Project', at('/project_id')),
    told('Trace', at('/telemetry/trace_id')),
    told('Fixture', fixture),
  ];
}

function tokens(envelope: JsonNode | null): string | null {
  const [input, output] = ['input_tokens', 'output_tokens'].map(
    (key) => envelope?.get('telemetry')?.present(key)?.lexeme() ?? null,
  );
  if (input === null && output === null) return null;
  return `${cut(input ?? '?', LONGEST_ID)} tokens in, ${cut(output ?? '?', LONGEST_ID)} out`;
}

function join(parts: readonly (string | null)[]): string | null {
  const told = parts.filter((part) => part !== null);
  return told.length === 0 ? null : told.join(', ');
}

function fact(name: string, value: Part): Markup {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}
