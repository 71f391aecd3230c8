import type { BotParts } from '../jobs.js';
import { createWorkJob, jobsOf } from '../work/index.js';
import { judgeWorld } from './judge-world.js';

/** The bot's judge with what it needs of this process. */
export const botParts: BotParts = { jobsOf, workJob: createWorkJob(judgeWorld) };
