import { expect, it } from 'vitest';
import { RUN_LIMITS, SourceService } from '../../core/doors/source-service.js';
import { systemClock } from '../../core/io/clock.js';
import { ask, copies, doorStage } from './stage.js';

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

it('lets a run wait for what large records cost', async () => {
  const large = `{"id":"large","t":"${'x'.repeat(4 * 1024 * 1024)}"}`;
  const records = [large, '{"id":"small","t":"x"}'];
  let now = 0n;
  const stage = await doorStage({ records, clock: { nowNs: () => now } });
  const { token } = stage.begin();
  let served = 0;
  while ((await ask(stage, { path: '/sources/snap:1/large', token })).status === 200) served += 1;
  expect(served).toBe(8);
  expect((await ask(stage, { path: '/sources/snap:1/small', token })).status).toBe(429);
  now += 1_000_000_000n;
  expect((await ask(stage, { path: '/sources/snap:1/small', token })).status).toBe(200);
}, 30_000);

it('refuses a run that does not take what it asked for, until it does', () => {
  const { made } = service();
  const taken = made.sending(RUN_LIMITS.unsentBytes + 1);
  expect(made.begin(() => {})).toMatchObject({ code: 'too-many' });
  taken();
  expect(made.begin(() => {}).kind).toBe('given');
});

it('refuses a request beyond those that one run may have under way, until one of them is over', () => {
  const { made } = service();
  const begun = Array.from({ length: RUN_LIMITS.requestsAtOnce }, () => made.begin(() => {}));
  expect(made.begin(() => {})).toMatchObject({ code: 'too-many' });
  const [first] = begun;
  if (first?.kind === 'given') first.value();
  expect(made.begin(() => {}).kind).toBe('given');
});

it('breaks off what is under way when the run ends, and nothing that was answered before', () => {
  const { made } = service();
  const cut: string[] = [];
  made.begin(() => cut.push('under way'));
  const answered = made.begin(() => cut.push('answered'));
  if (answered.kind === 'given') answered.value();
  made.close();
  expect(cut).toEqual(['under way']);
});
