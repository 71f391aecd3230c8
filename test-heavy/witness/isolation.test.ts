import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../core/json/index.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { fakeUpstream, likeModels } from '../../test/witness/fake-upstream.js';
import { freePort, moduleOf, serving, stage } from '../../test/witness/stage.js';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

const AGENT = 'test.tries-to-leave';
const RECORDS = '{"id":"rec:1","title":"one"}\n';
const SOURCES = `sources: [{snapshot_refs: [copy-1], path: records.jsonl, id_field: id, sha256: ${sha256Hex(RECORDS)}}]\n`;

let sockets = 0;

async function open(kind: 'module' | 'service', isolate: string) {
  const upstream = await fakeUpstream(likeModels);
  undo.push(() => upstream.close());
  const abstract = `grounding-gate-${process.pid}-${++sockets}`;
  const socket = createServer((one) => one.end());
  await new Promise<void>((done) => socket.listen({ path: `\0${abstract}` }, done));
  undo.push(() => new Promise((done) => socket.close(done)));
  const path = join(temporaryFolder(), 'listening.sock');
  const onDisk = createServer((one) => one.end());
  await new Promise<void>((done) => onDisk.listen({ path }, done));
  undo.push(() => new Promise((done) => onDisk.close(done)));
  const port = await freePort();
  const entry =
    kind === 'module'
      ? `module: ${moduleOf('tries-to-leave.js')}`
      : `url: http://127.0.0.1:${port}\n    start: ${serving('tries-to-leave.js', port)}`;
  const on = await stage(
    `agents:\n  - ${entry}\n    sources: [copy-1]\n    models: {openai: "${upstream.url}/v1"}\n${isolate}\n`,
    { sources: SOURCES, files: { 'records.jsonl': RECORDS } },
  );
  undo.push(() => on.session.close());
  const other = Number(new URL(upstream.url).port);
  const model = `${upstream.url}/v1/chat/completions`;
  const where = { model, other, abstract, socket: path, gate: process.pid };
  const input = { schema_class: 'Attempt', ...where, snapshot: 'copy-1', record: 'rec:1' };
  return { ...on, upstream, input };
}

describe.each(['module', 'service'] as const)('an isolated %s', (kind) => {
  it('reaches the doors of the gate and nothing else, by name or by address', async () => {
    const { run, input, textOf, rootOf, upstream, session } = await open(kind, '    isolate: true');
    expect(session.registry.unavailable).toEqual([]);
    const done = await run(AGENT, input, 'witnessed');
    expect(done.grounding).toMatchObject({
      passed: true,
      isolated: true,
      witness: { citations: { witnessed: 1 }, chats: { witnessed: 1, declared: 1 } },
    });
    expect(rootOf(done)['dd.isolation']).toBe('isolated');
    const said = JSON.parse(textOf(done)) as Record<string, string>;
    expect(said['door']).toMatch(/^200 .*gpt-real/);
    expect(upstream.asked).toHaveLength(1);
    const { door: _door, interfaces, run: listing, channel, rights, ...attempts } = said;
    // No right of any kind, and none to be had.
    expect([interfaces, listing, channel, rights]).toEqual(['lo', '', 'true', ',,,,,1']);
    expect(Object.entries(attempts).filter(([, outcome]) => !outcome.startsWith('no: '))).toEqual([]);
  });

  it('stays reachable for a second run, and for two at once', async () => {
    const { run, input } = await open(kind, '    isolate: true');
    const first = await run(AGENT, input);
    const more = await Promise.all([run(AGENT, input), run(AGENT, input)]);
    expect([first, ...more].map(({ grounding }) => grounding.passed)).toEqual([true, true, true]);
  });
});

describe('isolation', () => {
  it('holds for all entries when the file says so, and an entry may say otherwise', async () => {
    const all = await open('module', 'isolate: true');
    expect(all.session.registry.agents.get(AGENT)?.isolated).toBe(true);
    const none = await open('module', '    isolate: false\nisolate: true');
    expect(none.session.registry.agents.get(AGENT)?.isolated).toBeUndefined();
    const done = await none.run(AGENT, none.input);
    // The attempts mean something only where they come about without it.
    const said = JSON.parse(none.textOf(done)) as Record<string, string>;
    expect([said['abstractSocket'], said['otherDoorByAddress'], said['socketOnDisk']]).toEqual(
      Array(3).fill('reached'),
    );
    expect(done.grounding.isolated).toBeUndefined();
  });
});
