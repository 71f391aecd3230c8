import { GateError, messageOf, oneLine } from '../../core/index.js';
import { describeFailure } from '../describe-failure.js';
import type { BotParts } from '../jobs.js';
import { readSettings } from '../settings.js';
import { createLog } from './log.js';
import { faultOfKey } from './private-key.js';
import { runBot } from './run-bot.js';

/** For closing connections after the jobs have had their time. */
const FAREWELL_SECONDS = 5;
const BAD_START = 2;

/**
 * Runs the bot as a process: settings from the environment, the log on standard output, one line on standard error and exit code
 * 2 when it cannot start. SIGTERM and SIGINT end it in peace; a second one, or time running out, at once.
 */
export async function runProcess(process: NodeJS.Process, parts: BotParts): Promise<void> {
  try {
    const settings = readSettings(process.env, faultOfKey);
    const log = createLog({ level: settings.logLevel, write: (line) => void process.stdout.write(line) });
    for (const event of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(event, (error: unknown) => {
        log.error('the bot ends by an error that nobody caught', describeFailure(error));
        process.exit(1);
      });
    const bot = await runBot({ settings, parts, log });
    let ending = false;
    const end = async (): Promise<void> => {
      if (ending) process.exit(1);
      ending = true;
      setTimeout(() => process.exit(1), (settings.graceSeconds + FAREWELL_SECONDS) * 1000);
      await bot.stop();
      process.exit(0);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());
  } catch (error) {
    process.stderr.write(`grounding bot: ${reasonOf(error)}\n`);
    process.exit(BAD_START);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof GateError) return error.describe();
  return oneLine(messageOf(error));
}
