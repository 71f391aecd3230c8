/** A run as core/html/overview-rows.ts writes it; numbers stand for members of `Lists`. */
type Row = readonly [
  run: string,
  page: string | 0,
  state: number,
  ms: number,
  agent: number,
  mode: number,
  outcome: number,
  rules: readonly number[],
  verified: number,
  unresolved: number,
  statement: string,
  fixture: string | 0,
];

interface Lists {
  readonly states: readonly string[];
  readonly agents: readonly string[];
  readonly modes: readonly string[];
  readonly outcomes: readonly string[];
  readonly rules: readonly string[];
}

/** A run of the list; `ms` is 0 when nobody knows when it was invoked. */
export interface Run {
  readonly run: string;
  readonly page: string;
  readonly state: string;
  readonly ms: number;
  readonly agent: string;
  readonly mode: string;
  readonly outcome: string;
  readonly rules: readonly string[];
  readonly verified: number;
  readonly unresolved: number;
  readonly statement: string;
  readonly fixture: string;
  /** What a search looks into, in small letters. */
  readonly text: string;
}

/** The page's data: its runs, and the names that a filter can ask for. */
export interface Data {
  readonly runs: readonly Run[];
  readonly agents: readonly string[];
  readonly rules: readonly string[];
}

export function readData(): Data {
  const lists: Lists = JSON.parse(textOf('lists'));
  const rows: readonly Row[] = JSON.parse(textOf('rows'));
  return { runs: rows.map((row) => runOf(row, lists)), agents: lists.agents, rules: lists.rules };
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? '';
}

function runOf(row: Row, { states, agents, modes, outcomes, rules }: Lists): Run {
  const [run, page, state, ms, agent, mode, outcome, broken, verified, unresolved, statement, fixture] = row;
  const shown = {
    run,
    page: page === 0 ? run : page,
    state: states[state] ?? '',
    ms,
    agent: agents[agent] ?? '',
    mode: modes[mode] ?? '',
    outcome: outcomes[outcome] ?? '',
    rules: broken.map((rule) => rules[rule] ?? ''),
    verified,
    unresolved,
    statement,
    fixture: fixture === 0 ? '' : fixture,
  };
  const text = [run, shown.agent, shown.outcome, shown.rules.join(' '), statement, shown.fixture].join('\n');
  return { ...shown, text: text.toLowerCase() };
}
