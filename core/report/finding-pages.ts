import { RULES } from '../lint/rules.js';
import { SOURCE_CHECKS } from '../sources/rules.js';
import type { FindingRule, GateFault } from './finding.js';

/** What is said about a rule or a fault wherever it is shown; all of it is ours, `why` and `mend` in Markdown. */
export interface FindingPage {
  readonly id: FindingRule;
  readonly title: string;
  readonly why: string;
  readonly mend: string;
}

const GATE_PAGES = {
  tampered: {
    title: 'a stored run still is what was stored',
    why: 'A stored run is evidence. One that no longer agrees with its index, its request or the runs that it delegated to was changed after it was judged.',
    mend: 'Restore the run from version control or a backup. Never edit a stored run: run the agent again instead.',
  },
  unreadable: {
    title: 'a stored run can be read',
    why: 'Nothing can be said of a run whose files are missing or malformed, and silence must not look like a pass.',
    mend: 'Restore the files of the run, or remove its folder together with its index line.',
  },
  'not-judged': {
    title: 'every fixture comes to a verdict',
    why: 'A fixture that never ran shows nothing, whatever the others did.',
    mend: 'Mend what the message names, which is mostly the fixture, the profile or the registration of the agent, and run again.',
  },
  unexpected: {
    title: 'a fixture ends as it expects',
    why: 'An expectation says how a run should end. One that ends otherwise is a change in behaviour, even where no rule is broken.',
    mend: 'Mend the agent. If the new behaviour is right, change the expectation beside the fixture and have that reviewed.',
  },
  'fixture-removed': {
    title: 'no fixture disappears unseen',
    why: 'A fixture that a change removes no longer shows what it showed before.',
    mend: 'Put the fixture back, or remove it in a change of its own that its owner reviews.',
  },
  'expectation-loosened': {
    title: 'no expectation is loosened unseen',
    why: 'A change that lets its own fixtures fail would pass whatever it does.',
    mend: 'Restore the expectation, or loosen it in a change of its own that its owner reviews.',
  },
  'registration-loosened': {
    title: 'no agent is let out of sight unseen',
    why: 'What `isolate`, `models` and `sources` of agents.yaml hold an agent to is what a witness saw, and what the agent could not reach. A change that takes it back would be judged by less than the base is.',
    mend: 'Restore the entry, or loosen it in a change of its own that its owner merges by hand.',
  },
  replayed: {
    title: 'a run was made for the change that it is shown for',
    why: 'A run that was made before, or for something else, shows nothing of this change.',
    mend: 'Run the workflow again, and let it store the runs that it makes itself.',
  },
  'other-policy': {
    title: 'a run was made under the profile that binds',
    why: 'The profile says which agents may run and what a person has to approve. A run under another one was not held to it.',
    mend: 'Bring the branch up to date with its base and run the fixtures again; change the profile in a change of its own.',
  },
  unresolved: {
    title: 'every cited source has a pinned copy',
    why: 'Without a copy that the agent cannot touch, nobody checked that the cited record exists or says what is claimed.',
    mend: 'Pin the snapshot that is cited with `grounding pin`, or cite one that is pinned.',
  },
  doubtful: {
    title: 'nothing in a run looks like what it is not',
    why: 'No rule forbids an id beside the hash of another record, an id or a key that reads like another one, a status that there is not, or a clock of its own. Whoever wants to mislead a reader would use them.',
    mend: 'Look at what the message names. Let the agent cite each record under its own id, spell ids, keys and statuses exactly, and set its clock.',
  },
  'claim-differs': {
    title: 'what the evidence says of itself is what is found',
    why: 'A report that comes with the evidence is the word of whoever made it. It decides nothing here; that it differs should be looked at.',
    mend: 'Find out what the workflow did to its report, or whether its copies are others than those that bind.',
  },
  drift: {
    title: 'the source check says what it said when the run was stored',
    why: 'The pinned copies have changed since: a verdict that was stored no longer is the verdict of today.',
    mend: 'Run the agent again against the copies of today, or pin the snapshot again that the run was judged by.',
  },
} as const satisfies Record<GateFault, Omit<FindingPage, 'id'>>;

const PAGES: ReadonlyMap<string, FindingPage> = new Map<string, FindingPage>([
  ...[...RULES, ...SOURCE_CHECKS].map(({ id, title, why, mend }): [string, FindingPage] => [
    id,
    { id, title, why, mend },
  ]),
  ...gateFaults().map((id): [string, FindingPage] => [id, { id, ...GATE_PAGES[id] }]),
]);

/** The page of a rule or fault. */
export function findingPage(rule: FindingRule): FindingPage {
  const page = PAGES.get(rule);
  if (page === undefined) throw new Error(`no page for ${rule}`);
  return page;
}

/** Every page, rules first, each list in its own order. */
export function findingPages(): readonly FindingPage[] {
  return [...PAGES.values()];
}

function gateFaults(): readonly GateFault[] {
  return Object.keys(GATE_PAGES).filter((key): key is GateFault => Object.hasOwn(GATE_PAGES, key));
}
