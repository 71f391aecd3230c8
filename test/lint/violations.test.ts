// What a violation carries: id, hash, pointer or span id, and its place (contract 5).
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../core/json/index.js';
import { placesOf } from '../../core/json/places.js';
import { readEnvelope } from '../../core/lint/index.js';
import { codeOf } from '../support/code-of.js';
import { A, B, chat, envelope, INPUT, INPUT_HASH, judged, judgedText, ref, retrieval, root } from './make-run.js';

describe('a violation', () => {
  it('names id, hash, pointer, line and column when a reference is at fault', () => {
    const cites = [ref('src:1'), ref('src:2', B)];
    const over = envelope('retrieval', [ref('src:1')], {
      payload: { schema_class: 'Case', grounded_on: [], 'a/b~': [{ grounded_on: cites }] },
    });
    const text = JSON.stringify(over, null, 2);
    const [violation, ...others] = judgedText(
      [root('retrieval'), retrieval('1', ref('src:1'))],
      text,
    ).violations.filter(({ rule }) => rule === 'G2');
    const before = text.slice(0, text.lastIndexOf('{', text.indexOf('src:2')));
    expect(others).toEqual([]);
    expect(violation).toMatchObject({
      rule: 'G2',
      sourceId: 'src:2',
      contentHash: B,
      pointer: '/payload/a~1b~0/0/grounded_on/1',
      place: {
        file: 'envelope.json',
        line: before.split('\n').length,
        column: before.length - before.lastIndexOf('\n'),
      },
    });
    expect(violation?.message).toContain('src:2');
    expect(violation?.message).toContain(B.slice(0, 12));
    expect(violation?.message).not.toContain(B.slice(0, 13));
  });

  it('names the version that was fetched when another one is cited', () => {
    const over = envelope('retrieval', [ref('src:1', B)]);
    const { violations } = judged([root('retrieval'), retrieval('1', ref('src:1'))], over);
    const message = violations.find(({ rule }) => rule === 'G2')?.message;
    expect(message).toMatch(/this version of it, but [0-9a-f]{12}$/);
  });

  it('names span, file and line when a span is at fault', () => {
    const [violation] = judged([root('none'), chat('c1')], envelope('none', [INPUT])).violations;
    expect(violation).toMatchObject({ rule: 'N1', spanId: 'c1', place: { file: 'spans.jsonl', line: 2, column: 1 } });
    expect(violation).not.toHaveProperty('pointer');
  });

  it.each([
    ['no-payload', { payload: undefined }, undefined],
    ['payload', { payload: 7 }, '/payload'],
    ['list', { payload: { schema_class: 'x', grounded_on: 7 } }, '/payload/grounded_on'],
    ['entry', { payload: { schema_class: 'x', grounded_on: [INPUT, 7] } }, '/payload/grounded_on/1'],
    ['evidence', { evidence: 7 }, '/evidence'],
    ['item', { evidence: [7, { source_id: INPUT.source_id, content_hash: INPUT_HASH }] }, '/evidence/0'],
    ['mode', { grounding_mode: 'x' }, '/grounding_mode'],
    ['status', { outcome: { status: 7 } }, '/outcome/status'],
  ])('points at what is malformed (%s)', (_, over, pointer) => {
    const found = judged([root('none')], envelope('none', [INPUT], over)).violations.find(({ rule }) => rule === 'G0');
    expect(found?.pointer).toBe(pointer);
  });

  it('is reported once for each fault of a trace, not for each span that the fault touches', () => {
    const foreign = (id: string) => ({ context: { trace_id: 'ff', span_id: id } });
    const spans = [
      root('none'),
      chat('1', { parent_id: '9' }),
      chat('2', { parent_id: '1' }),
      chat('3', { parent_id: '2' }),
    ];
    expect(judged(spans, envelope('none', [INPUT])).violations).toHaveLength(1);
    expect(
      judged([root('input_only'), chat('1', foreign('1')), chat('2', foreign('2'))], envelope('input_only', [INPUT]))
        .violations,
    ).toHaveLength(1);
    expect(
      judged([root('input_only'), chat('1'), chat('1'), chat('1')], envelope('input_only', [INPUT])).violations,
    ).toHaveLength(1);
  });

  it('stands in the report in the order of the rules and then of the file', () => {
    const over = { payload: { schema_class: 'x', grounded_on: [ref('z'), 7, ref('y', B)] }, evidence: [] };
    const report = judged([root('none'), chat('1')], envelope('none', [INPUT], over));
    expect(report.rules).toEqual(['G0', 'R2', 'R3', 'N1']);
    expect(report.violations.map(({ rule, sourceId }) => [rule, sourceId])).toEqual([
      ['G0', undefined],
      ['R2', 'z'],
      ['R2', 'y'],
      ['R3', undefined],
      ['N1', undefined],
    ]);
  });

  it('points into a payload as deep as the reader allows', () => {
    const depth = 900;
    const deep = `${'{"grounded_on":['.repeat(depth / 2)}7${']}'.repeat(depth / 2)}`;
    const text = JSON.stringify(envelope('none', [INPUT])).replace('"schema_class"', `"deep":${deep},"schema_class"`);
    const pointers = judgedText([root('none')], text).violations.map(({ pointer }) => pointer);
    expect(pointers).toHaveLength(depth / 2);
    expect(new Set(pointers).size).toBe(depth / 2);
    expect(pointers).toContain(`/payload/deep${'/grounded_on/0'.repeat(depth / 2)}`);
  });

  it('is reported a hundred thousand times when a payload holds as many faults', () => {
    const cites = Array.from({ length: 100_000 }, (_, i) => ref(`src:${i}`, B));
    const report = judged([root('none')], envelope('none', cites, { evidence: [INPUT] }));
    expect(report.violations).toHaveLength(100_000);
    expect(report.violations.at(-1)?.pointer).toBe('/payload/grounded_on/99999');
  });

  it('stays short when an id is long', () => {
    const id = `x${'𝒟'.repeat(100_000)}`;
    const [violation] = judged([root('none')], envelope('none', [INPUT, ref(id, A)])).violations;
    expect(violation?.message.length).toBeLessThan(1000);
    expect(violation?.message.isWellFormed()).toBe(true);
    expect(violation?.sourceId).toBe(id);
  });
});

describe('placesOf', () => {
  it('agrees with the place that each node gives by itself', () => {
    const text = '{"ä":[1,\n "𝒟", {"x":\r\n[ ]}],\n\n"z":"é", "last": null}';
    const document = parseJson(Buffer.from(text), { file: 'x.json', firstLine: 7 });
    const pointers = ['', '/ä', '/ä/0', '/ä/1', '/ä/2', '/ä/2/x', '/z', '/last'];
    const nodes = pointers.flatMap((pointer) => document.locate(pointer) ?? []);
    expect(nodes).toHaveLength(pointers.length);
    const places = placesOf([...nodes].reverse());
    for (const node of nodes) expect(places.get(node)).toEqual(node.place());
  });
});

describe('readEnvelope', () => {
  it.each([
    ['envelope-malformed', '[]'],
    ['envelope-malformed', '"x"'],
    ['envelope-malformed', 'null'],
    ['json-empty', ''],
    ['json-empty', ' \n '],
    ['json-duplicate-key', '{"a":1,"a":2}'],
  ])('refuses with %s when the file is %j', (code, text) => {
    expect(codeOf(() => readEnvelope(Buffer.from(text), { file: 'e.json' }))).toMatchObject({
      code,
      blame: 'unreadable',
    });
  });

  it('returns any object', () => {
    expect(readEnvelope(Buffer.from('{}'), { file: 'e.json' }).size).toBe(0);
  });
});

describe('a rule that is broken very often', () => {
  const many = 130_000;

  it('lists a hundred thousand violations and counts the rest when references are at fault', () => {
    const cites = Array.from({ length: many }, (_, index) => ref(`src:${index}`));
    const over = { payload: { schema_class: 'Case', grounded_on: cites } };
    const report = judged([root('none')], envelope('none', [INPUT], over));
    expect(report.rules).toEqual(['R2']);
    expect(report.violations).toHaveLength(100_001);
    expect(report.violations.at(-1)).toEqual({ rule: 'R2', message: expect.stringContaining(String(many - 100_000)) });
  });

  it.each(['payload', 'evidence'])('counts every malformed entry when the %s holds more than are listed', (where) => {
    const entries = new Array<number>(many).fill(1);
    const over =
      where === 'evidence' ? { evidence: entries } : { payload: { schema_class: 'Case', grounded_on: entries } };
    const report = judged([root('none')], envelope('none', [INPUT], over));
    const g0 = report.violations.filter(({ rule }) => rule === 'G0');
    expect(report.rules[0]).toBe('G0');
    expect(g0).toHaveLength(100_001);
    expect(g0.at(-1)?.message).toContain(String(many - 100_000));
  });
});
