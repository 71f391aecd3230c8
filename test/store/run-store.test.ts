import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { hashOf, parseJson } from '../../core/json/index.js';
import { SAMPLE_SCHEMA, sampleRun } from './sample-run.js';
import { codeOf, expectSound, expectWhole, indexedIds, opened, stored, temporary } from './support.js';

describe('a run store', () => {
  it('makes the runs folder and its parents, and leaves it empty when nothing is run', async () => {
    const folder = join(temporary(), 'deep', 'runs');
    await opened(folder);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('writes every file of a run, its crate and its schema', async () => {
    const folder = temporary();
    const id = v7();
    await stored(folder, sampleRun(id));
    expectWhole(folder, id);
    expectSound(folder);
    expect(readdirSync(folder).sort()).toEqual([id, 'invocations.jsonl', 'schemas'].sort());
    expect(readdirSync(join(folder, 'schemas'))).toEqual([`${SAMPLE_SCHEMA.digest}.json`]);
  });

  it('writes an index line that is compact and keeps every number as it was written', async () => {
    const folder = temporary();
    const id = v7();
    await stored(folder, sampleRun(id));
    const text = readFileSync(join(folder, 'invocations.jsonl'), 'utf8');
    expect(text.split('\n')).toHaveLength(2);
    expect(text).toContain('"score":1.0,"count":12345678901234567890,"small":1e-7');
    expect(text).toContain('A sample\\u2028statement');
    const line = parseJson(Buffer.from(text.trimEnd()), { file: 'index' });
    const file = parseJson(readFileSync(join(folder, id, 'envelope.json')), { file: 'envelope' });
    expect(hashOf(line, 'dd-envelope-json-v1')).toBe(hashOf(file, 'dd-envelope-json-v1'));
  });

  it('lists runs in the order in which they are written', async () => {
    const folder = temporary();
    const { store } = await opened(folder);
    const [parent, child] = [v7(), v7()];
    await store.reserve(parent);
    await store.reserve(child);
    await store.write(sampleRun(child, { parent_invocation_id: `"${parent}"` }));
    await store.write(sampleRun(parent));
    expect(indexedIds(folder)).toEqual([child, parent]);
  });

  it('writes no crate folder when the run has no crate', async () => {
    const folder = temporary();
    const run = { ...sampleRun(v7()), crate: null };
    await stored(folder, run);
    expect(existsSync(join(folder, run.invocationId, 'envelope.json'))).toBe(true);
    expect(existsSync(join(folder, run.invocationId, 'crate'))).toBe(false);
  });

  it('keeps the schema that is there when another run brings the same digest', async () => {
    const folder = temporary();
    await stored(folder, sampleRun(v7()));
    const path = join(folder, 'schemas', `${SAMPLE_SCHEMA.digest}.json`);
    const before = statSync(path, { bigint: true });
    await stored(folder, sampleRun(v7()));
    const after = statSync(path, { bigint: true });
    expect(after.ino).toBe(before.ino);
    expect(after.mtimeNs).toBe(before.mtimeNs);
  });

  it('never overwrites a stored run', async () => {
    const folder = temporary();
    const id = v7();
    await stored(folder, sampleRun(id));
    const { store } = await opened(folder);
    expect(await codeOf(store.reserve(id))).toBe('invocation-stored');
    await expect(store.write(sampleRun(id))).rejects.toThrow(/without a reservation/);
    expectSound(folder);
  });

  it('refuses a run that was not reserved, or whose envelope names another', async () => {
    const folder = temporary();
    const { store } = await opened(folder);
    const [id, other] = [v7(), v7()];
    await expect(store.write(sampleRun(id))).rejects.toThrow(/without a reservation/);
    await store.reserve(id);
    await expect(store.write({ ...sampleRun(other), invocationId: id })).rejects.toThrow(/names another run/);
    // A failed write ends the reservation too.
    await store.reserve(id);
    await store.release(id);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses a schema whose digest is no digest, and keeps nothing of the run', async () => {
    const folder = temporary();
    const { store } = await opened(folder);
    const id = v7();
    await store.reserve(id);
    const schemas = new Map([['../../escaped', Buffer.from('{}')]]);
    await expect(store.write({ ...sampleRun(id), schemas })).rejects.toThrow(/no digest/);
    expect(readdirSync(folder)).toEqual(['schemas']);
  });

  it('gives nothing up when an id is released that it does not hold', async () => {
    const folder = temporary();
    const { store } = await opened(folder);
    const { store: other } = await opened(folder);
    const id = v7();
    await store.reserve(id);
    await other.release(id);
    expect(await codeOf(other.reserve(id))).toBe('invocation-running');
  });
});
