import { describe, expect, it } from 'vitest';
import { RUN_LIMITS } from '../../core/doors/source-service.js';
import { hashOf, parseJson } from '../../core/json/index.js';
import { ask, doorStage, RECORDS, refusalOf } from './stage.js';

const stage = await doorStage();
const record = (at: number) => parseJson(Buffer.from(RECORDS[at] ?? ''), { file: 'record' });

describe('the plain door', () => {
  it('lists and describes the snapshots that the run may see', async () => {
    const { token } = stage.begin();
    expect((await ask(stage, { path: '/sources', token })).body).toBe(
      '{"snapshots":[{"snapshot_ref":"snap:1","records":4}]}',
    );
    expect((await ask(stage, { path: '/sources/snap%3A1', token })).body).toBe('{"snapshot_ref":"snap:1","records":4}');
  });

  it('gives a record with the text of its numbers, its hash worked out here, and tells the witness', async () => {
    const { token, seen } = stage.begin();
    const reply = await ask(stage, { path: '/sources/snap:1/rec:1', token });
    const content_hash = hashOf(record(0), 'dd-json-document-v1');
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(reply.body).toContain('"depth":1.50');
    expect(JSON.parse(reply.body)).toMatchObject({ source_id: 'rec:1', hash_algorithm: 'sha256', content_hash });
    expect(seen).toEqual([
      expect.objectContaining({
        kind: 'retrieval',
        sourceId: 'rec:1',
        contentHash: content_hash,
        snapshotRef: 'snap:1',
      }),
    ]);
    const [one] = seen;
    expect(one !== undefined && one.endNs >= one.startNs).toBe(true);
  });

  it('hashes under the canonicalisation that is asked for', async () => {
    const { token, seen } = stage.begin();
    const reply = await ask(stage, { path: '/sources/snap:1/rec:1?as=json-sorted-utf8-v1', token });
    expect(reply.json.get('content_hash')?.string()).toBe(hashOf(record(0), 'json-sorted-utf8-v1'));
    expect(seen[0]).toMatchObject({ contentHash: hashOf(record(0), 'json-sorted-utf8-v1') });
  });

  it('takes an id with a slash as one encoded segment, and one that looks like a path as an id', async () => {
    const { token } = stage.begin();
    for (const [path, id] of [
      ['/sources/snap:1/a%2Fb%20c', 'a/b c'],
      ['/sources/snap:1/%2e%2e', '..'],
      ['/sources/snap:1/..', '..'],
    ] as const)
      expect((await ask(stage, { path, token })).json.get('source_id')?.string()).toBe(id);
  });
});

describe('a request that the plain door refuses', () => {
  const LONG = 'x'.repeat(RUN_LIMITS.textLength + 1);

  it.each([
    ['another method', '/sources/snap:1/rec:1', 405, 'read-only', 'POST'],
    ['a snapshot that the run may not see', '/sources/snap:2/rec:1', 404, 'no-such-snapshot'],
    ['a snapshot that does not exist', '/sources/snap:3/rec:1', 404, 'no-such-snapshot'],
    ['a search in a snapshot that the run may not see', '/sources/snap:2?q=everybody', 404, 'no-such-snapshot'],
    ['a description of a snapshot that the run may not see', '/sources/snap:2', 404, 'no-such-snapshot'],
    ['a record that is not there', '/sources/snap:1/rec:9', 404, 'no-such-record'],
    ['a way up', '/sources/../../etc/passwd', 404, 'not-here'],
    ['a way up, encoded', '/sources/snap:1/..%2F..%2Fsources.yaml', 404, 'no-such-record'],
    ['a way up, encoded twice', '/sources/snap:1/%252e%252e%252fa.jsonl', 404, 'no-such-record'],
    ['a file of the copy', '/sources/snap:1/a.jsonl', 404, 'no-such-record'],
    ['more segments than there are', '/sources/snap:1/a/b', 404, 'not-here'],
    ['an empty id', '/sources/snap:1/', 400, 'malformed'],
    ['a broken encoding', '/sources/snap:1/%zz', 400, 'malformed'],
    ['an encoding that is no UTF-8', '/sources/snap:1/%ff', 400, 'malformed'],
    ['an id that is too long', `/sources/snap:1/${LONG}`, 400, 'malformed'],
    ['a name that objects inherit', '/sources/__proto__/constructor', 404, 'no-such-snapshot'],
    ['an id that objects inherit', '/sources/snap:1/constructor', 404, 'no-such-record'],
    ['an unknown canonicalisation', '/sources/snap:1/rec:1?as=toString', 400, 'malformed'],
    [
      'a record that the canonicalisation refuses',
      '/sources/snap:1/rec:2?as=json-sorted-utf8-v1',
      422,
      'not-projectable',
    ],
    ['a query without a word', '/sources/snap:1?q=%20-', 400, 'malformed'],
    ['a query that is too long', `/sources/snap:1?q=${LONG}`, 400, 'malformed'],
    ['a limit past the most', '/sources/snap:1?q=tides&limit=51', 400, 'malformed'],
    ['a limit that is no number', '/sources/snap:1?q=tides&limit=1e1', 400, 'malformed'],
    ['another address', '/elsewhere', 404, 'not-here'],
    ['an address that only begins like one', '/sourcesx', 404, 'not-here'],
  ])('is %s', async (_, path, status, code, method = 'GET') => {
    const { token, seen } = stage.begin();
    const reply = await ask(stage, { path, token, method });
    expect({ status: reply.status, code: refusalOf(reply) }).toEqual({ status, code });
    expect(seen).toEqual([]);
  });

  it('is any without the token of a run in progress', async () => {
    const path = '/sources/snap:1/rec:1';
    const over = stage.begin();
    expect((await ask(stage, { path, token: over.token })).status).toBe(200);
    over.end();
    for (const token of [undefined, '', 'token', over.token]) {
      const reply = await ask(stage, { path, ...(token === undefined ? {} : { token }) });
      expect({ status: reply.status, code: refusalOf(reply) }).toEqual({ status: 401, code: 'grant-unknown' });
      expect(reply.headers['www-authenticate']).toBe('Bearer');
    }
    expect(over.seen).toHaveLength(1);
    expect((await ask(stage, { path: `${path}?token=${stage.begin().token}` })).status).toBe(401);
  });

  it('is one whose record the witness would not note any more', async () => {
    for (const [noted, status, code] of [
      ['closed', 401, 'grant-unknown'],
      ['full', 429, 'run-full'],
    ] as const) {
      const { token } = stage.begin({ noted: () => noted });
      const reply = await ask(stage, { path: '/sources/snap:1/rec:1', token });
      expect({ status: reply.status, code: refusalOf(reply) }).toEqual({ status, code });
      expect(reply.body).not.toContain('Cuxhaven');
    }
  });

  it('is noted for the run whose token it brings, never for another one', async () => {
    const [one, other] = [stage.begin(), stage.begin()];
    await ask(stage, { path: '/sources/snap:1/rec:1', token: one.token });
    expect([one.seen.length, other.seen.length]).toEqual([1, 0]);
  });
});

describe('a flood', () => {
  /** A clock that stands still, so that no bucket fills up again. */
  const still = { nowNs: () => 1n };

  it('is answered 429 once a run has asked too much, whatever it asks for, and hurts no other run', async () => {
    const flooded = await doorStage({ clock: still });
    const run = flooded.begin();
    const paths = ['/sources/snap:1/rec:1', '/sources/snap:1/none', '/elsewhere', '/mcp'];
    for (let i = 0; i < RUN_LIMITS.burst; i += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, at) => ask(flooded, { path: paths[at % 3] ?? '', token: run.token })),
      );
    for (const path of paths) {
      const reply = await ask(flooded, { path, token: run.token });
      expect({ status: reply.status, code: refusalOf(reply), wait: reply.headers['retry-after'] }).toEqual({
        status: 429,
        code: 'too-many',
        wait: '1',
      });
    }
    expect((await ask(flooded, { path: '/sources/snap:1/rec:1', token: flooded.begin().token })).status).toBe(200);
  }, 30_000);

  it('is let in again when time has passed', async () => {
    let now = 0n;
    const flooded = await doorStage({ clock: { nowNs: () => now } });
    const { token } = flooded.begin();
    const path = '/sources';
    for (let i = 0; i < RUN_LIMITS.burst; i += 100)
      await Promise.all(Array.from({ length: 100 }, () => ask(flooded, { path, token })));
    expect((await ask(flooded, { path, token })).status).toBe(429);
    now += 2_000_000n;
    expect((await ask(flooded, { path, token })).status).toBe(200);
  }, 30_000);

  it('of strangers is answered 429, while runs are served', async () => {
    const flooded = await doorStage({ clock: still });
    for (let i = 0; i < 10; i++)
      await Promise.all(Array.from({ length: 100 }, () => ask(flooded, { path: '/sources', token: 'x' })));
    expect((await ask(flooded, { path: '/sources' })).status).toBe(429);
    expect((await ask(flooded, { path: '/sources', token: flooded.begin().token })).status).toBe(200);
  }, 30_000);

  it('of ids in the millions finds nothing and leaves nothing behind', async () => {
    const { token, seen } = stage.begin();
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, at) => ask(stage, { path: `/sources/snap:1/${1_000_000 + at * 7919}`, token })),
    );
    expect(new Set(replies.map(refusalOf))).toEqual(new Set(['no-such-record']));
    expect(seen).toEqual([]);
  });
});

it('reports nothing as an error of ours', () => {
  expect(stage.errors).toEqual([]);
});
