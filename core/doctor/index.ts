export { checkFixture, type FixtureSurroundings } from './check-fixture.js';
export { checkProfile } from './check-profile.js';
export { type CheckedWorkflow, checkWorkflow, type HandedInput } from './check-workflow.js';
export { DOCTOR_CHECKS, type DoctorCheck } from './checks.js';
export { findingOf, type SetupFinding, setupFinding } from './setup-finding.js';
