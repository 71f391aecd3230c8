import { decide, type Profile, requirementOf } from '../policy/index.js';
import { type Finding, makeFinding } from '../report/index.js';
import type { PresentedRun } from '../reverify/present-run.js';
import { isWitnessed } from './is-witnessed.js';

/** A profile that runs are held against. */
export interface BindingProfile {
  readonly profile: Profile;
  /** `base` binds, so that runs must have been made under its very bytes; `change` is a second opinion of the gate alone. */
  readonly whose: 'base' | 'change';
  /** As findings name the folder of the runs. */
  readonly folder: string;
}

/** Holds runs against a profile: were they made under it, and would its gate have let them pass (contract 7)? */
export function policyFindings(runs: readonly PresentedRun[], binding: BindingProfile): readonly Finding[] {
  return runs.flatMap((run) =>
    faultsOf(run, binding).map((message) =>
      makeFinding({
        rule: 'other-policy',
        level: 'error',
        message,
        run: run.run,
        place: { file: `${binding.folder}/${run.run}/envelope.json`, line: null, column: null },
      }),
    ),
  );
}

function faultsOf(run: PresentedRun, { profile, whose }: BindingProfile): readonly string[] {
  const { policyDigest } = run;
  const other = whose === 'base' && policyDigest !== profile.policyDigest;
  const said = policyDigest === null ? 'no profile' : `a profile with the SHA-256 ${policyDigest.slice(0, 12)}`;
  return [
    ...(other ? [`the run was made under ${said}, the base's has ${profile.policyDigest.slice(0, 12)}`] : []),
    ...witnessFaults(run, profile),
    ...gateFaults(run, { profile, under: whose === 'base' ? '' : 'under the profile of this change, ' }),
  ];
}

/** W1 and W2 are judged where the trace says that they are asked for; whoever made the run may have left that out. */
function witnessFaults({ agentId, verdict }: PresentedRun, profile: Profile): readonly string[] {
  if (agentId === null || requirementOf(profile, agentId) === null || isWitnessed(verdict)) return [];
  return [`the profile requires witnesses of ${JSON.stringify(agentId)}, and the run was not held to them`];
}

/** The class is the one that the profile assigns: an envelope does not state what its agent declares. */
function gateFaults(
  { agentId, outcome }: PresentedRun,
  { profile, under }: { readonly profile: Profile; readonly under: string },
): readonly string[] {
  if (agentId === null || outcome === null) return [];
  const refused = outcome.problem === 'agent-not-permitted' || outcome.problem === 'action-class-mismatch';
  const gate = decide(profile, { agentId, actionClass: profile.agents.get(agentId) ?? '' });
  if (gate.kind === 'not-permitted' && !refused) return [`${under}the agent ${JSON.stringify(agentId)} may not run`];
  const asked = outcome.status === 'referred' || refused;
  if (gate.kind === 'needs-approval' && !asked)
    return [`${under}a person has to approve what ${JSON.stringify(agentId)} does, and the agent ran`];
  return [];
}
