export { checkSources } from './check.js';
export { parseSourcesConfiguration } from './configuration.js';
export { evidenceItems } from './evidence-item.js';
export { loadSources, NO_COPIES, type SourceCopies, type SourcesLocation } from './load-copies.js';
export { pinSource } from './pin.js';
export type { SourceCopy } from './pinned-copy.js';
export type { OpenCopy, SourceFiles } from './ports.js';
export type { SourceRule } from './rule.js';
export { SOURCE_CHECKS } from './rules.js';
