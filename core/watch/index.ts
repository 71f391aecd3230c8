export { importsOf, type ReadSource } from './imports-of.js';
export { planRerun, type Rerun, type Watched, type WatchedAgent } from './plan-rerun.js';
