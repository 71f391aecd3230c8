import type { IncomingMessage, ServerResponse } from 'node:http';
import { gateError } from '../../core/index.js';
import type { BotParts } from '../jobs.js';
import { type Environment, readSettings } from '../settings.js';
import { createLog } from './log.js';
import { openBot } from './open-bot.js';
import { faultOfKey } from './private-key.js';

/** How the middleware is made. */
export interface MiddlewareOptions {
  /** The variables that docs/bot.md lists; those of the process unless given. */
  readonly environment?: Environment;
  /**
   * Whether this process also works what it queues. False where it may be frozen once it has answered, as a serverless function
   * is: then REDIS_URL is needed, and a bot elsewhere that works.
   */
  readonly work?: boolean;
}

/** The bot within a server of someone else's. */
export interface BotMiddleware {
  /** Answers the bot's paths and calls `next` for all others, or answers 404 when there is none. */
  handle(request: IncomingMessage, response: ServerResponse, next?: () => void): Promise<void>;
  /** Lets what is in hand end, and closes everything. */
  close(): Promise<void>;
}

/** Opens a bot as middleware; throws a GateError when a setting is missing or does not hold. */
export async function openMiddleware(parts: BotParts, options: MiddlewareOptions): Promise<BotMiddleware> {
  const { environment = process.env, work = true } = options;
  const settings = readSettings(environment, faultOfKey);
  if (!work && settings.redisUrl === null)
    throw gateError('bot-settings', {
      blame: 'configuration',
      message: 'work is false and REDIS_URL is not set, so that nobody would ever do what is queued',
      remedy: 'set REDIS_URL, and run a bot with the same one that works',
    });
  const log = createLog({ level: settings.logLevel, write: (line) => void process.stdout.write(line) });
  const bot = await openBot({ settings, parts, log });
  if (work) bot.start();
  return {
    async handle(request, response, next) {
      if (await bot.door(request, response)) return;
      if (next !== undefined) return next();
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('nothing is here\n');
    },
    close: () => bot.stop(),
  };
}
