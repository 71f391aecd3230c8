export { EXAMPLE, EXAMPLE_AGENT, EXAMPLE_RECORDS } from './example-agent.js';
export { type DraftInput, draftInput } from './minimal-input.js';
export { PULL_REQUEST_WORKFLOW } from './pull-request-workflow.js';
export {
  agentsFile,
  emptySourcesFile,
  fixtureFile,
  profileFile,
  type StarterAgent,
  type StarterFile,
} from './starter-files.js';
