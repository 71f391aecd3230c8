import { gateError } from '../../core/index.js';
import type { BotLog } from '../jobs.js';

/** Fetches deliveries from a channel of smee.io, for a machine that GitHub cannot reach; the returned function ends that. */
export async function startProxy(options: {
  readonly source: string;
  readonly target: string;
  readonly log: BotLog;
}): Promise<() => Promise<void>> {
  const { source, target, log } = options;
  const { SmeeClient } = await import('smee-client').catch((cause: unknown) => {
    throw gateError('bot-settings', {
      blame: 'configuration',
      message: 'WEBHOOK_PROXY_URL is set, and the package smee-client is not installed',
      remedy: 'run npm install --save-dev smee-client, or unset WEBHOOK_PROXY_URL',
      cause,
    });
  });
  const client = new SmeeClient({
    source,
    target,
    // It prints what it forwards.
    logger: { info: () => {}, error: () => log.warn('the webhook proxy has trouble') },
  });
  await client.start();
  log.info('deliveries come from a webhook proxy');
  return () => client.stop();
}
