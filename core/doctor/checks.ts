/** What the doctor looks for by itself; everything else that it finds has a code of error-codes.ts. */
export const DOCTOR_CHECKS = {
  'agent-unreachable': { means: 'A service of agents.yaml cannot be reached, so that its fixtures are not judged.' },
  'agent-incompatible': { means: 'A service of agents.yaml was made for another contract.' },
  'agent-not-isolated': {
    means: 'An agent is to run isolated, and this machine cannot do that: it does not run at all, or in the open.',
  },
  'agent-not-enabled': { means: 'The profile does not enable a registered agent, or under another action class.' },
  'agent-without-fixture': { means: 'No fixture asks for an agent, so that nothing of it is ever judged.' },
  'profile-unknown-class': {
    means:
      'The profile wants a class of action approved that no agent of it has, and one has a class of nearly that name.',
  },
  'profile-unknown-agent': { means: 'The profile enables an agent that no entry of agents.yaml leads to.' },
  'sources-none': { means: 'No copy is pinned, so that no citation is ever verified.' },
  'fixture-agent': { means: 'A fixture asks for an agent that nobody registered.' },
  'fixture-class': { means: 'A fixture holds an input of a class that its agent does not read.' },
  'fixture-input': { means: 'A fixture holds an input that does not fit its class, and does not expect that.' },
  'fixture-template': { means: 'A fixture still holds a text that `grounding init` left to be filled in.' },
  'recording-orphan': { means: 'A file among the recordings is of no fixture that there is.' },
  'runs-unwritable': { means: 'The runs folder cannot be made or written.' },
  'workflow-none': { means: 'No workflow runs the gate.' },
  'workflow-permissions': { means: 'A workflow does not say what its token may do, or gives the gate too little.' },
  'workflow-checkout': { means: 'A job runs the gate before it has checked the repository out.' },
  'workflow-shallow': {
    means: 'The checkout of a pull request does not fetch the base commit, whose configuration binds.',
  },
  'workflow-target': {
    means: 'A workflow runs on pull_request_target, whose token may write, with code of a pull request.',
  },
  'workflow-unpinned': { means: 'A workflow takes the gate from a branch, which may change under it.' },
  'workflow-ignored': { means: 'A workflow goes on when the gate fails, so that a failure is shown as success.' },
  'workflow-path': { means: 'A workflow hands the gate a file or folder that is not there.' },
} as const satisfies Record<string, { readonly means: string }>;

export type DoctorCheck = keyof typeof DOCTOR_CHECKS;
