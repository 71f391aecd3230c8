import { FRAMEWORKS } from './frameworks.js';
import { GEN_AI } from './gen-ai.js';
import { LANGCHAIN } from './langchain.js';
import { LANGFUSE } from './langfuse.js';
import { LLAMAINDEX } from './llamaindex.js';
import { OPENINFERENCE } from './openinference.js';
import { OPENLLMETRY } from './openllmetry.js';
import type { Dialect } from './row.js';
import { VERCEL_AI } from './vercel-ai.js';
import { WIRE } from './wire.js';
import { WORKBENCH } from './workbench.js';

/** Everything by which a span is recognised; test/vectors/dialects holds a positive and a near miss for each row. */
export const DIALECTS: readonly Dialect[] = [
  WORKBENCH,
  GEN_AI,
  OPENINFERENCE,
  OPENLLMETRY,
  VERCEL_AI,
  LANGFUSE,
  LANGCHAIN,
  LLAMAINDEX,
  FRAMEWORKS,
  WIRE,
];
