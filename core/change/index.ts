/** What a change did to that by which it is judged; core/index.ts passes it on. */
export { changeFindings } from './change-findings.js';
export { type ChangedRuns, changedRuns } from './changed-runs.js';
export { type AgentsFiles, agentFindings } from './loosened-agents.js';
export { loosenings } from './loosenings.js';
export { type Matched, type Matching, matchRuns } from './match-runs.js';
export { type FixtureChange, type FixturePlan, fixtureFile, headFixtures, mergeFixtures } from './merge-fixtures.js';
export { pinFinder } from './pins.js';
export { type PlacingWorld, placeFindings } from './place-findings.js';
export { removedRunFindings } from './removed-runs.js';
export { type Freshness, replayFindings } from './replayed-runs.js';
export { type Evidence, type EvidencePart, reportOfEvidence, secondOpinion } from './report-of-evidence.js';
export { type BindingProfile, policyFindings } from './run-policy.js';
