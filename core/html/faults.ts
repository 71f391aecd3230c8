import type { UnresolvedPolicy } from '../model/report.js';
import { GROUNDING_RULES, type RuleId, SOURCE_RULES } from '../model/violation.js';
import type { Finding } from '../report/finding.js';
import { inOrder, makeFinding } from '../report/make-finding.js';
import { reportOfArchive } from '../report/report-of-archive.js';
import { textOf } from '../reverify/texts.js';
import { isWithheld } from '../reverify/withheld.js';
import { type ReportedRun, type RunFacts, readValue } from './run-facts.js';

/** Everything that is to be said against a run, worst first. */
export interface Faults {
  readonly findings: readonly Finding[];
  /** They stand in the verdicts that were stored with the run: of a withheld one nothing is left to be judged again. */
  readonly fromStoredVerdict: boolean;
}

/** What was found against a run when it was judged again, and, of a withheld run, what was found when it was made. */
export function faultsOf(
  run: ReportedRun,
  { facts, unresolved }: { readonly facts: RunFacts; readonly unresolved: UnresolvedPolicy },
): Faults {
  const { findings } = reportOfArchive([run.verdict], { runsFolder: '', unresolved, notices: [] });
  const known = new Set(findings.map(({ rule, message }) => `${rule} ${message}`));
  const stored = storedFindings(run, facts).filter(({ rule, message }) => !known.has(`${rule} ${message}`));
  return { findings: inOrder([...stored, ...findings]), fromStoredVerdict: stored.length > 0 };
}

function storedFindings({ verdict, contents }: ReportedRun, facts: RunFacts): readonly Finding[] {
  const envelope = readValue(facts.envelope);
  if (envelope === null || !isWithheld(envelope, contents)) return [];
  return [contents.grounding, contents.sources].flatMap((bytes) =>
    bytes === undefined
      ? []
      : itemsOf(textOf(bytes)).map(({ rule, message }) =>
          makeFinding({
            rule,
            level: 'error',
            message,
            run: verdict.run,
            place: { file: `${verdict.run}/envelope.json`, line: null, column: null },
          }),
        ),
  );
}

const RULE_IDS: ReadonlyMap<string, RuleId> = new Map([...GROUNDING_RULES, ...SOURCE_RULES].map((id) => [id, id]));

/** The items of a stored verdict, as `grounding.txt` and `sources.txt` list them (contract 5). */
function itemsOf(text: string): readonly { readonly rule: RuleId; readonly message: string }[] {
  return [...text.matchAll(/^ {2}- ([A-Z][0-9]): (.*)$/gm)].flatMap(([, id = '', message = '']) => {
    const rule = RULE_IDS.get(id);
    return rule === undefined ? [] : [{ rule, message }];
  });
}
