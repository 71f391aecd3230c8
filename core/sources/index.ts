export { checkSources } from './check.js';
export { parseSourcesConfiguration, type SourceEntry, type SourcesConfiguration } from './configuration.js';
export { loadSources, NO_COPIES, type SourceCopies, type SourcesLocation } from './load-copies.js';
export { type PinRequest, type PinResult, pinSource } from './pin.js';
export type { SourceCopy } from './pinned-copy.js';
export type { OpenCopy, SourceFiles } from './ports.js';
export type { SourceRule } from './rule.js';
export { SOURCE_CHECKS } from './rules.js';
