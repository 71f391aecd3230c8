import { assertNever } from '../model/assert-never.js';
import { composeEnvelope } from './compose-envelope.js';
import { failedDraft } from './draft.js';
import type { RunContext } from './run-context.js';
import type { SettledRun } from './settle.js';

/** A settled run that its project has seen, and what takes back what was added there. */
export interface ProposedRun {
  readonly settled: SettledRun;
  undo(): Promise<void>;
}

const nothing = async (): Promise<void> => {};

/**
 * Offers what a run in a project came to, after the contract check and before it is stored (contract 7). A revision that the project
 * refuses makes the run fail as `revision-refused`, without payload and evidence; the verdicts stay those of what the agent returned.
 */
export async function proposeToProject(run: RunContext, settled: SettledRun): Promise<ProposedRun> {
  const { accepted, deps } = run;
  const { draft } = settled;
  const payload = draft.findings?.payload?.node;
  if (deps.projects === undefined || accepted.projectId === undefined) return { settled, undo: nothing };
  if (draft.status !== 'succeeded' || payload === undefined) return { settled, undo: nothing };
  const { invocationId, projectId } = accepted;
  const proposed = await deps.projects.propose(projectId, { invocationId, payload });
  switch (proposed.kind) {
    case 'none':
      return { settled, undo: nothing };
    case 'added':
      return { settled, undo: () => proposed.undo() };
    case 'refused': {
      const refused = failedDraft('revision-refused', { detail: proposed.reason, invocationId, keep: draft });
      return { settled: { ...settled, draft: refused, envelope: composeEnvelope(run, refused) }, undo: nothing };
    }
    default:
      return assertNever(proposed);
  }
}
