import type { AgentSpecification } from '../agents/specification.js';
import { decide, doubtfulApprovals, type Profile, unknownAgents } from '../policy/index.js';
import { type SetupFinding, setupFinding } from './setup-finding.js';

/** Holds a profile and the registered agents against each other; `allReached` says that no entry of agents.yaml failed. */
export function checkProfile(
  profile: Profile,
  given: { readonly file: string; readonly agents: readonly AgentSpecification[]; readonly allReached: boolean },
): readonly SetupFinding[] {
  const { agents, allReached, file } = given;
  const unknown = allReached ? unknownAgents(profile, new Set(agents.map(({ agentId }) => agentId))) : [];
  return [
    ...doubtfulApprovals(profile).map(({ actionClass, place, meant }) =>
      setupFinding({
        check: 'profile-unknown-class',
        place,
        message: `no agent of the profile has the class ${JSON.stringify(actionClass)}, whose runs need approval`,
        remedy: `did you mean ${JSON.stringify(meant)}?`,
      }),
    ),
    ...unknown.map(({ agentId, place, meant }) =>
      setupFinding({
        check: 'profile-unknown-agent',
        place,
        message: `the profile enables ${JSON.stringify(agentId)}, which no entry of agents.yaml leads to`,
        remedy: meant === null ? 'remove the entry, or register the agent' : `did you mean ${JSON.stringify(meant)}?`,
      }),
    ),
    ...agents.flatMap(({ agentId, actionClass }) => {
      const { kind } = decide(profile, { agentId, actionClass });
      if (kind === 'allowed' || kind === 'needs-approval') return [];
      const assigned = profile.agents.get(agentId);
      return [
        setupFinding({
          check: 'agent-not-enabled',
          place: profile.places.get(agentId) ?? { file },
          message:
            assigned === undefined
              ? `the profile does not enable the agent ${agentId}`
              : `the profile enables ${agentId} as ${assigned}, and it declares ${actionClass}`,
          remedy: `write ${JSON.stringify(agentId)}: ${JSON.stringify(actionClass)} under agents, once that was reviewed`,
        }),
      ];
    }),
  ];
}
