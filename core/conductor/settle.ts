import { validateEnvelope, validateResult } from '../contract/documents.js';
import { type Fault, faultsText } from '../contract/faults.js';
import { judge } from '../lint/index.js';
import type { GroundingReport, SourcesReport } from '../model/report.js';
import { checkSources } from '../sources/index.js';
import { type ComposedEnvelope, composeEnvelope } from './compose-envelope.js';
import { type Draft, failedDraft } from './draft.js';
import type { FiledRun } from './file-spans.js';
import type { RunContext } from './run-context.js';
import { withhold } from './withhold.js';

/** A judged draft with its envelope and the two verdicts, which stay apart. */
export interface SettledRun {
  readonly draft: Draft;
  readonly envelope: ComposedEnvelope;
  readonly grounding: GroundingReport;
  readonly sources: SourcesReport;
}

/**
 * Judges a run and brings its envelope into the state that is stored: the linter, the source check, withholding on any
 * violation, the contract check (conductor.txt, steps 4 and 5).
 */
export function settle(run: RunContext, filed: FiledRun): SettledRun {
  const judged = judgeDraft(run, { draft: filed.draft, filed });
  const shown = withholdJudged(run, judged);
  const settled = holdToContract(run, { settled: shown, filed });
  // What an agent answered and stands as it was has just been checked.
  if (settled !== shown || settled.draft.findings === undefined) refuseOwnFault(settled);
  return settled;
}

function judgeDraft(
  run: RunContext,
  { draft, filed }: { readonly draft: Draft; readonly filed: FiledRun },
): SettledRun {
  const envelope = composeEnvelope(run, draft);
  return {
    draft,
    envelope,
    grounding: judge(filed.spans, envelope.node),
    sources: checkSources(envelope.node, run.deps.copies),
  };
}

/** The verdicts stay those of what the agent returned: they say why nothing of it is shown. */
function withholdJudged(run: RunContext, judged: SettledRun): SettledRun {
  const draft = withhold(judged.draft, { ...judged, invocationId: run.accepted.invocationId });
  return draft === judged.draft ? judged : { ...judged, draft, envelope: composeEnvelope(run, draft) };
}

/** A result that breaks the contract makes the run an `agent-error`, which is judged anew unless it was withheld. */
function holdToContract(
  run: RunContext,
  { settled, filed }: { readonly settled: SettledRun; readonly filed: FiledRun },
): SettledRun {
  const faults = agentFaults(settled);
  if (faults.length === 0) return settled;
  const draft = failedDraft('agent-error', {
    detail: `the agent's result breaks the contract: ${faultsText(faults)}`,
    invocationId: run.accepted.invocationId,
    keep: settled.draft,
  });
  if (settled.grounding.passed && settled.sources.passed) return judgeDraft(run, { draft, filed });
  return { ...settled, draft, envelope: composeEnvelope(run, draft) };
}

/** What the agent's result broke; what was withheld is no longer on the envelope and has been reported. */
function agentFaults({ draft, envelope }: SettledRun): readonly Fault[] {
  if (draft.findings === undefined) return [];
  const { payload, evidence, result } = draft.findings;
  const own = validateResult(result).filter(
    ({ pointer }) =>
      (payload !== undefined || !pointer.startsWith('/payload')) &&
      (evidence !== undefined || !pointer.startsWith('/evidence')),
  );
  return own.length > 0 ? own : validateEnvelope(envelope.node);
}

function refuseOwnFault({ envelope }: SettledRun): void {
  const faults = validateEnvelope(envelope.node);
  if (faults.length > 0) throw new Error(`the conductor composed an invalid envelope: ${faultsText(faults)}`);
}
