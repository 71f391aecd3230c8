import { type BotOptions, openBot } from './open-bot.js';
import { serve } from './serve.js';
import { startProxy } from './smee.js';

/** A bot at work. */
export interface RunningBot {
  readonly url: string;
  stop(): Promise<void>;
}

/** Opens a bot, serves it and begins to work; throws a GateError when it cannot. */
export async function runBot(options: BotOptions): Promise<RunningBot> {
  const { settings, log } = options;
  const bot = await openBot(options);
  const closers: (() => Promise<void>)[] = [() => bot.stop()];
  const closeAll = async (): Promise<void> => {
    await Promise.all(closers.map((close) => close()));
  };
  try {
    const server = await serve(bot.door, settings);
    closers.push(() => server.close());
    if (settings.proxyUrl !== null) {
      const target = `${server.url}${settings.webhookPath}`;
      closers.push(await startProxy({ source: settings.proxyUrl, target, log }));
    }
    bot.start();
    log.info('the bot listens', { url: server.url, queue: settings.redisUrl === null ? 'memory' : 'redis' });
    return {
      url: server.url,
      async stop() {
        log.info('the bot stops');
        await closeAll();
        log.info('the bot has stopped');
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
