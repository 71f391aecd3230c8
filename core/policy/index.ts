export { decide, type GateDecision } from './gate.js';
export { type Profile, parseProfile } from './profile.js';
