import { RUN_STATES } from '../model/stored-run.js';
import { visible } from '../report/visible.js';
import { jsonText } from './markup.js';
import { safeName } from './names.js';
import type { RunSummary } from './run-summary.js';

/**
 * The runs as the overview's script reads them: one array a run, with names that recur as numbers into lists. Rows go out as
 * they come; the lists are known at the end.
 */
export class OverviewRows {
  readonly #lists = { agents: new Numbered(), modes: new Numbered(), outcomes: new Numbered(), rules: new Numbered() };
  #count = 0;

  /** A run as text to be written behind the rows before. The order of its members is that of `Row` in client/data.ts. */
  row(summary: RunSummary): string {
    const { run, state, ms, agent, mode, status, reason, statement, rules, verified, unresolved, fixture } = summary;
    const { agents, modes, outcomes, rules: ruleList } = this.#lists;
    const name = visible(run);
    const page = safeName(run);
    const outcome = status === null ? '' : `${status}${reason === null ? '' : ` (${reason})`}`;
    const members = [
      name,
      page === name ? 0 : page,
      RUN_STATES.indexOf(state),
      ms ?? 0,
      agents.numberOf(agent ?? ''),
      modes.numberOf(mode ?? ''),
      outcomes.numberOf(outcome),
      rules.map((rule) => ruleList.numberOf(rule)),
      verified,
      unresolved,
      visible(statement),
      fixture === null ? 0 : visible(fixture),
    ];
    return `${this.#count++ === 0 ? '' : ',\n'}${jsonText(JSON.stringify(members))}`;
  }

  /** The lists, as JSON. */
  lists(): string {
    const { agents, modes, outcomes, rules } = this.#lists;
    return JSON.stringify({
      states: RUN_STATES,
      agents: agents.names,
      modes: modes.names,
      outcomes: outcomes.names,
      rules: rules.names,
    });
  }
}

/** Names by the order in which they came. */
class Numbered {
  readonly #numbers = new Map<string, number>();

  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(name, number);
    return number;
  }

  get names(): readonly string[] {
    return [...this.#numbers.keys()].map(visible);
  }
}
