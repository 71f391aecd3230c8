export { type Conductor, createConductor, type InvokeCall } from './conductor.js';
export type {
  CrateFacts,
  FinishedRun,
  InvokedRun,
  OpenSpan,
  RunStore,
  RunTrace,
  SpanAttributes,
  Tracer,
} from './ports.js';
export type { ConductorDeps } from './run-context.js';
