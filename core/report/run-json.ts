import type { Composable } from '../json/index.js';
import { stateOf } from './build-report.js';
import { exitCodeOf } from './conclusion.js';
import { jsonText } from './json-text.js';
import type { JudgedRun, RunReport, RunRow } from './run-report.js';
import { groundingJson, sourcesJson } from './verdict-json.js';

/** The report of `grounding run` for machines: one JSON object, rows in fixture order. */
export function renderRunJson(report: RunReport): string {
  return jsonText({
    conclusion: report.conclusion,
    exit_code: exitCodeOf(report.conclusion),
    profile: report.policyBundleRef,
    runs: report.runsFolder,
    unresolved: report.unresolvedPolicy,
    counts: {
      runs: report.rows.length,
      as_expected: report.counts['as-expected'],
      unexpected: report.counts.unexpected,
      not_judged: report.counts['not-judged'],
    },
    notices: report.notices,
    results: report.rows.map(rowJson),
  });
}

function rowJson(row: RunRow): Composable {
  const judged = row.result.kind === 'judged' ? row.result : null;
  return {
    fixture: row.fixture,
    agent_id: row.agentId,
    repeat: row.repeat.index,
    state: stateOf(row),
    error: row.result.kind === 'unjudged' ? row.result.reason : null,
    differences: judged?.differences ?? [],
    invocation_id: judged?.invocationId ?? null,
    grounding_mode: judged?.mode ?? null,
    outcome: judged && outcomeJson(judged),
    grounding: judged && groundingJson(judged.grounding),
    sources: judged && sourcesJson(judged.sources),
    tokens: judged?.tokens ?? null,
    time_ms: judged && Math.round(judged.milliseconds),
    declared_derivations: judged?.derivations.map((one) => ({
      field: one.field,
      how: one.how,
      recorded_in: one.recordedIn,
      checked: false,
    })),
  };
}

function outcomeJson({ outcome }: JudgedRun): Composable {
  return {
    status: outcome.status,
    reason_code: outcome.reasonCode,
    problem: outcome.problem,
    statement: outcome.statement,
  };
}
