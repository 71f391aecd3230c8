export { judge } from './lint.js';
export { readEnvelope } from './read-envelope.js';
export { RULES } from './rules.js';
