export { codeText, explain, explainable, rulesDocument } from './explain.js';
export { judge } from './lint.js';
export { readEnvelope } from './read-envelope.js';
export { RULES } from './rules.js';
