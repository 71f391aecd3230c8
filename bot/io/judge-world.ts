import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { JudgeWorld } from '../world.js';
import { unzip } from './unzip.js';

/** What the judge needs of this process. */
export const judgeWorld: JudgeWorld = {
  unzip,
  secret: () => randomBytes(16).toString('hex'),
  breathe: () => setImmediate(),
};
