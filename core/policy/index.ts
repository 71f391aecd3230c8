export { decide, type GateDecision, type GatedAgent } from './gate.js';
export { type Profile, parseProfile } from './profile.js';
