import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliver, payloadOf } from '../github/webhooks.js';
import { SECRET, type Stage } from './flood-stage.js';

/** Deliveries of a flood. */
export interface Flood {
  readonly scene: Stage;
  readonly total: number;
  readonly perSecond: number;
  /** Where the next delivery goes. */
  readonly bot: () => { readonly url: string };
  /** Called before each delivery with how many went before. */
  readonly before?: (sent: number) => void;
}

/** What a flood came to. */
export interface Flooded {
  /** What each answer took, sorted. */
  readonly milliseconds: readonly number[];
  /** How many deliveries were answered with something else than 200. */
  readonly refused: number;
}

type Sent = { readonly payload: Record<string, unknown>; readonly guid: string };

/**
 * Pushes to pull requests in turn and tells of each push, so many a second. Every twentieth delivery is the one before once more,
 * and every tenth is late, so that the next of its pull request overtakes it.
 */
export async function flood({ scene, total, perSecond, bot, before }: Flood): Promise<Flooded> {
  const { server, app } = scene;
  const begun = performance.now();
  const answers: Promise<{ readonly status: number; readonly milliseconds: number }>[] = [];
  let last: Sent | undefined;
  for (let sent = 0; sent < total; sent++) {
    await sleep(Math.max(0, begun + (sent * 1000) / perSecond - performance.now()));
    before?.(sent);
    last = sent % 20 === 19 && last !== undefined ? last : push(scene, sent);
    const { payload, guid } = last;
    answers.push(
      sleep(sent % 10 === 0 ? 1000 : randomInt(0, 20)).then(async () => {
        const url = `${bot().url}/api/github/webhooks`;
        const at = performance.now();
        const one = await deliver(server, { url, event: 'pull_request', payload, guid, secret: SECRET, app: app.id });
        return { status: one.statusCode, milliseconds: performance.now() - at };
      }),
    );
  }
  const all = await Promise.all(answers);
  return {
    milliseconds: all.map((one) => one.milliseconds).sort((a, b) => a - b),
    refused: all.filter(({ status }) => status !== 200).length,
  };
}

function push({ server, repository, pulls, installation }: Stage, sent: number): Sent {
  const pull = pulls[sent % pulls.length];
  if (pull === undefined) throw new Error('no pull request');
  repository.commit({ branch: pull.headRef, files: { counter: `${sent}\n` } });
  const happening = { event: 'pull_request', action: 'synchronize', repository, pull } as const;
  return {
    payload: payloadOf(server, happening, { installation }),
    guid: `00000000-0000-4000-8000-${String(sent).padStart(12, '0')}`,
  };
}
