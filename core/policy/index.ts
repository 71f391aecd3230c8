export { decide, type GateDecision } from './gate.js';
export { type Profile, parseProfile, requirementOf } from './profile.js';
export {
  type DoubtfulApproval,
  doubtfulApprovals,
  type UnknownAgent,
  unknownAgents,
} from './unknown-agents.js';
