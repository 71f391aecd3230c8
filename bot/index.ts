/** The bot for a server of someone else's: `grounding-gate/bot`. */
import { type BotMiddleware, type MiddlewareOptions, openMiddleware } from './io/middleware.js';
import { botParts } from './io/parts.js';

export type { BotMiddleware, MiddlewareOptions };

/** Opens the bot as middleware, by the variables that docs/bot.md lists; throws a GateError when one is missing or does not hold. */
export function createBotMiddleware(options: MiddlewareOptions = {}): Promise<BotMiddleware> {
  return openMiddleware(botParts, options);
}
