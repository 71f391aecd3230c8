import { expect, it } from 'vitest';
import { RUN_LIMITS, SourceService } from '../../core/doors/source-service.js';
import { systemClock } from '../../core/io/clock.js';
import { copies } from './stage.js';

/** A service whose searches wait at their first turn until they are let go on. */
function service() {
  let goOn = (): void => {};
  const paused = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const made = new SourceService({
    copies: copies(),
    allowed: ['snap:1'],
    witness: { note: () => 'noted' },
    clock: systemClock(),
    turn: () => paused,
  });
  return { made, goOn };
}

const asked = { snapshotRef: 'snap:1', query: 'tides' };

it('refuses a search beyond those that one run may have under way, and takes the next one after them', async () => {
  const { made, goOn } = service();
  const underWay = Array.from({ length: RUN_LIMITS.searchesAtOnce }, () => made.search(asked));
  expect(await made.search(asked)).toMatchObject({ kind: 'refused', code: 'too-many' });
  goOn();
  for (const answer of await Promise.all(underWay))
    expect(answer).toMatchObject({ kind: 'given', value: { matched: 2 } });
  expect((await made.search(asked)).kind).toBe('given');
});

it('stops a search when the run is over, or when nobody waits for it', async () => {
  const over = service();
  const stopped = over.made.search(asked);
  over.made.close();
  over.goOn();
  expect(await stopped).toMatchObject({ code: 'grant-unknown' });
  const left = service();
  const alone = left.made.search({ ...asked, gone: () => true });
  left.goOn();
  expect((await alone).kind).toBe('refused');
});
