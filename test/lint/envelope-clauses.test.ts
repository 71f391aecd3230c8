// Contract 5, the sentences about the envelope: what is well formed, where lists are looked for, what null means.
import { describe, expect, it } from 'vitest';
import { hashOf, jsonOf } from '../../core/json/index.js';
import {
  A,
  B,
  chat,
  envelope,
  INPUT,
  INPUT_HASH,
  INVOCATION,
  item,
  judged,
  judgedText,
  ref,
  retrieval,
  root,
  verdict,
} from './make-run.js';

const ONE = ref('src:1', A);
const TWO = ref('src:2', B);
const FETCHED = [root('retrieval'), retrieval('1', ONE), retrieval('2', TWO)];
const both = { evidence: [item(ONE), item(TWO)] };
const payload = (members: object) => ({ schema_class: 'Case', grounded_on: [ONE], ...members });
const reads = (over: object) => envelope('retrieval', [ONE], { ...both, ...over });

describe('judge, over payloads in retrieval mode', () => {
  it.each([
    {
      title: 'passes a list deeper down beside the root’s',
      over: { payload: payload({ parts: [{ grounded_on: [TWO] }] }) },
      rules: [],
    },
    {
      title: 'judges a list in a list in a list',
      over: { payload: payload({ parts: [[[{ grounded_on: [ref('src:9', B)] }]]] }) },
      rules: ['G2'],
    },
    {
      title: 'judges a list inside a reference',
      over: { payload: payload({ grounded_on: [{ ...ONE, note: { grounded_on: [ref('x', B)] } }] }) },
      rules: ['G2'],
    },
    {
      title: 'judges a list inside a malformed reference',
      over: { payload: payload({ grounded_on: [ONE, { grounded_on: [ref('x', B)] }] }) },
      rules: ['G0', 'G2'],
    },
    {
      title: 'judges a list below a grounded_on that is not a list',
      over: { payload: payload({ part: { grounded_on: { grounded_on: [ref('x', B)] } } }) },
      rules: ['G0', 'G2'],
    },
    {
      title: 'judges a list below a list entry that is a list',
      over: { payload: payload({ grounded_on: [ONE, [{ grounded_on: [ref('x', B)] }]] }) },
      rules: ['G0', 'G2'],
    },
    {
      title: 'never lets a deeper list stand in for the root’s',
      over: { payload: { schema_class: 'Case', parts: { grounded_on: [ONE] } } },
      rules: ['G0'],
    },
    {
      title: 'refuses a deeper grounded_on that is not a list',
      over: { payload: payload({ parts: [{ grounded_on: 'all' }] }) },
      rules: ['G0'],
    },
    {
      title: 'ignores a deeper grounded_on that is null',
      over: { payload: payload({ parts: [{ grounded_on: null }] }) },
      rules: [],
    },
    {
      title: 'takes a root grounded_on that is null for a missing one',
      over: { payload: payload({ grounded_on: null }) },
      rules: ['G0', 'G2'],
    },
    {
      title: 'takes a schema_class that is null for a missing one',
      over: { payload: payload({ schema_class: null }) },
      rules: ['G0'],
    },
    {
      title: 'refuses a schema_class that is not a string',
      over: { payload: payload({ schema_class: 7 }) },
      rules: ['G0'],
    },
    {
      title: 'ignores keys that only look like grounded_on',
      over: { payload: payload({ Grounded_on: 'x', grounded_οn: [ref('x', B)], grounded_on_: 3 }) },
      rules: [],
    },
    {
      title: 'reports G0 alone for a malformed entry beside well-formed ones',
      over: { payload: payload({ grounded_on: [ONE, { ...TWO, content_hash: 'x' }] }) },
      rules: ['G0'],
    },
    {
      title: 'finds that no source is named when every entry is malformed',
      over: { payload: payload({ grounded_on: ['src:1'] }) },
      rules: ['G0', 'G2'],
    },
    {
      title: 'finds that no source is named when every list is empty',
      over: { payload: payload({ grounded_on: [], parts: [{ grounded_on: [] }] }) },
      rules: ['G2'],
    },
    {
      title: 'finds a source named when a deeper list holds one',
      over: { payload: payload({ grounded_on: [], parts: [{ grounded_on: [ONE] }] }) },
      rules: [],
    },
    { title: 'reports G0 alone when a succeeded envelope has no payload', over: { payload: undefined }, rules: ['G0'] },
    { title: 'takes a null payload for a missing one', over: { payload: null }, rules: ['G0'] },
    {
      title: 'finds that no source is named in a payload that is not an object',
      over: { payload: 'text' },
      rules: ['G0', 'G2'],
    },
    {
      title: 'judges the lists of a payload that is a list',
      over: { payload: [{ grounded_on: [ref('x', A)] }] },
      rules: ['G0', 'G2'],
    },
    {
      title: 'asks no payload of an envelope that did not succeed',
      over: { payload: undefined, outcome: { status: 'abstained' } },
      rules: [],
    },
    {
      title: 'judges the payload of an envelope that did not succeed',
      over: { payload: payload({ grounded_on: [ref('x', A)] }), outcome: { status: 'failed' } },
      rules: ['G2'],
    },
    {
      title: 'allows an envelope that did not succeed to name no source',
      over: { payload: payload({ grounded_on: [] }), outcome: { status: 'failed' } },
      rules: [],
    },
    {
      title: 'judges an envelope without an outcome as one that did not succeed',
      over: { payload: payload({ grounded_on: [] }), outcome: undefined },
      rules: [],
    },
    { title: 'refuses an outcome that is not an object', over: { outcome: 'succeeded' }, rules: ['G0'] },
    { title: 'refuses a status that is not a string', over: { outcome: { status: ['succeeded'] } }, rules: ['G0'] },
    {
      title: 'judges an envelope of another contract version that is not complete',
      over: { contract_version: '9.9.9', extra: 1 },
      rules: [],
    },
  ])('$title', ({ over, rules }) => {
    expect(verdict(judged(FETCHED, reads(over)))).toEqual({ rules, retrievals: 2, chats: 0 });
  });
});

describe('judge, over what is well formed', () => {
  const members = { extra: { a: [1] } };
  it.each([
    ['extra members', { ...ONE, ...members }, true],
    ['an empty id', { ...ONE, source_id: '' }, false],
    ['an id that is not a string', { ...ONE, source_id: 7 }, false],
    ['a null id', { ...ONE, source_id: null }, false],
    ['no id', { content_hash: A }, false],
    ['no hash', { source_id: 'src:1' }, false],
    ['a null hash', { ...ONE, content_hash: null }, false],
    ['an upper-case hash', { ...ONE, content_hash: A.toUpperCase() }, false],
    ['a hash of 63 digits', { ...ONE, content_hash: A.slice(1) }, false],
    ['a hash of 65 digits', { ...ONE, content_hash: `${A}a` }, false],
    ['a hash with a line feed', { ...ONE, content_hash: `${A}\n` }, false],
    ['a hash with a prefix', { ...ONE, content_hash: `sha256:${A}` }, false],
    ['null', null, false],
    ['a string', 'src:1', false],
    ['a list', [ONE], false],
    ['a number', 7, false],
  ])('takes a reference or evidence item with %s as it is', (_, entry, wellFormed) => {
    const rules = wellFormed ? [] : ['G0'];
    expect(judged(FETCHED, reads({ payload: payload({ grounded_on: [ONE, entry] }) })).rules).toEqual(rules);
    expect(judged(FETCHED, reads({ evidence: [item(ONE), entry] })).rules).toEqual(rules);
  });

  it('takes source ids that name prototypes for ordinary ones', () => {
    for (const id of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const spans = [root('retrieval'), retrieval('1', ref(id))];
      expect(judged(spans, envelope('retrieval', [ref(id)])).rules).toEqual([]);
      expect(judged(FETCHED, reads({ payload: payload({ grounded_on: [ref(id)] }) })).rules).toEqual(['G2']);
    }
  });

  it('finds a grounded_on under a key that names a prototype', () => {
    const text = JSON.stringify(reads({})).replace(
      '"schema_class"',
      `"__proto__":{"grounded_on":[{"source_id":"x","content_hash":"${A}"}]},"schema_class"`,
    );
    expect(judgedText(FETCHED, text).rules).toEqual(['G2']);
  });

  it('does not find members that only a prototype has', () => {
    const text = JSON.stringify(reads({})).replace('"schema_class":"Case"', '"__proto__":{"schema_class":"Case"}');
    expect(judgedText(FETCHED, text).rules).toEqual(['G0']);
  });
});

describe('judge, over the evidence', () => {
  const content = { name: 'x', nothing: null, n: 1 };
  const hash = hashOf(jsonOf(content), 'dd-json-document-v1');
  const REAL = ref('src:1', hash);
  const spans = [root('retrieval'), retrieval('1', REAL)];
  it.each([
    { title: 'refuses evidence that is not a list', evidence: { 0: item(REAL) }, rules: ['G0', 'G4'] },
    { title: 'takes null evidence for missing evidence', evidence: null, rules: ['G4'] },
    { title: 'passes content that hashes to its hash', evidence: [item(REAL, { content })], rules: [] },
    {
      title: 'breaks E1 when a null of the content is dropped',
      evidence: [item(REAL, { content: { name: 'x', n: 1 } })],
      rules: ['E1'],
    },
    {
      title: 'breaks E1 when content differs',
      evidence: [item(REAL, { content: { ...content, n: 2 } })],
      rules: ['E1'],
    },
    { title: 'takes null content for no content', evidence: [item(REAL, { content: null })], rules: [] },
    { title: 'breaks E1 when content is not an object', evidence: [item(REAL, { content: [content] })], rules: ['E1'] },
    { title: 'breaks E1 when content is text', evidence: [item(REAL, { content: 'x' })], rules: ['E1'] },
    {
      title: 'breaks E1 under an unknown canonicalisation',
      evidence: [item(REAL, { content, canonicalisation: 'none-v1' })],
      rules: ['E1'],
    },
    {
      title: 'breaks E1 under a canonicalisation that names a prototype',
      evidence: [item(REAL, { content, canonicalisation: 'constructor' })],
      rules: ['E1'],
    },
    {
      title: 'breaks E1 without a canonicalisation',
      evidence: [item(REAL, { content, canonicalisation: undefined })],
      rules: ['E1'],
    },
    {
      title: 'breaks E1 under another algorithm',
      evidence: [item(REAL, { content, hash_algorithm: 'SHA256' })],
      rules: ['E1'],
    },
    {
      title: 'breaks E1 without an algorithm',
      evidence: [item(REAL, { content, hash_algorithm: null })],
      rules: ['E1'],
    },
    {
      title: 'asks nothing of an item without content',
      evidence: [item(REAL, { hash_algorithm: 'md5', canonicalisation: 'x' })],
      rules: [],
    },
    {
      title: 'breaks E1 when the projection is refused',
      evidence: [item(REAL, { content: { subjects: [1] }, canonicalisation: 'json-sorted-utf8-v1' })],
      rules: ['E1'],
    },
    { title: 'judges no content of a malformed item', evidence: [item(REAL), { content: { a: 1 } }], rules: ['G0'] },
  ])('$title', ({ evidence, rules }) => {
    expect(judged(spans, envelope('retrieval', [REAL], { evidence })).rules).toEqual(rules);
  });

  it('does not break E1 for a member that the projection drops', () => {
    const record = { fairsharing_id: 'f', name: 'n' };
    const cited = ref('f', hashOf(jsonOf(record), 'json-sorted-utf8-v1'));
    const evidence = [item(cited, { canonicalisation: 'json-sorted-utf8-v1', content: { ...record, smuggled: 'x' } })];
    expect(
      judged([root('retrieval'), retrieval('1', cited)], envelope('retrieval', [cited], { evidence })).rules,
    ).toEqual([]);
  });

  it('hashes numbers by their lexeme', () => {
    const cited = ref('n', hashOf(jsonOf({}), 'dd-json-document-v1'));
    const text = (number: string) =>
      JSON.stringify(envelope('retrieval', [cited])).replace(
        '"canonicalisation"',
        `"content":{"n":${number}},"canonicalisation"`,
      );
    expect(judgedText([root('retrieval'), retrieval('1', cited)], text('1.0')).rules).toEqual(['E1']);
  });

  it('applies E1 in every mode', () => {
    for (const mode of ['retrieval', 'input_only', 'none', 'delegation']) {
      const over = { evidence: [item(INPUT, { content: { a: 1 } })] };
      expect(
        judged([root(mode), ...(mode === 'retrieval' ? [retrieval('1', INPUT)] : [])], envelope(mode, [INPUT], over))
          .rules,
      ).toEqual(['E1']);
    }
  });
});

describe('judge, over modes that cite the input', () => {
  const OTHER = ref(`input:${INVOCATION}`, A);
  it.each([
    {
      title: 'breaks R2 for a reference with another hash',
      mode: 'none',
      over: { payload: payload({ grounded_on: [OTHER] }) },
      rules: ['R2'],
    },
    {
      title: 'breaks R2 for evidence with another hash, and not R3',
      mode: 'none',
      over: { evidence: [item(OTHER)] },
      rules: ['R2'],
    },
    {
      title: 'breaks R2 for another id with the hash of the input',
      mode: 'input_only',
      over: { evidence: [item(INPUT), item(ref('x', INPUT_HASH))] },
      rules: ['R2'],
    },
    {
      title: 'breaks R2 when the envelope has no invocation id',
      mode: 'none',
      over: { invocation_id: null },
      rules: ['R2'],
    },
    {
      title: 'breaks R3 when no evidence item is well formed',
      mode: 'none',
      over: { evidence: [{ source_id: INPUT.source_id }] },
      rules: ['G0', 'R3'],
    },
    {
      title: 'does not break R3 when the run did not succeed',
      mode: 'none',
      over: { evidence: [], outcome: { status: 'abstained' } },
      rules: [],
    },
    {
      title: 'allows a payload that names no source',
      mode: 'input_only',
      over: { payload: payload({ grounded_on: [] }) },
      rules: [],
    },
    {
      title: 'breaks D1 and G4 for a reference to no delegation',
      mode: 'delegation',
      over: { payload: payload({ grounded_on: [ref('invocation:x')] }) },
      rules: ['G4', 'D1'],
    },
    {
      title: 'breaks D2 for evidence of no delegation',
      mode: 'delegation',
      over: { evidence: [item(INPUT), item(ref('invocation:x'))] },
      rules: ['D2'],
    },
    {
      title: 'breaks D3 when the evidence lacks the input',
      mode: 'delegation',
      over: { evidence: [] },
      rules: ['G4', 'D3'],
    },
    {
      title: 'does not break D3 when the run did not succeed',
      mode: 'delegation',
      over: { evidence: [], payload: undefined, outcome: { status: 'failed' } },
      rules: [],
    },
    {
      title: 'breaks D1, D2 and D3 when the envelope has no invocation id',
      mode: 'delegation',
      over: { invocation_id: undefined },
      rules: ['D1', 'D2', 'D3'],
    },
  ])('$title', ({ mode, over, rules }) => {
    expect(judged([root(mode)], envelope(mode, [INPUT], over)).rules).toEqual(rules);
  });

  it.each([
    ['a recorded delegation', [{ delegated_invocation_id: 'x', content_hash: A }], []],
    ['a delegation of another hash', [{ delegated_invocation_id: 'x', content_hash: B }], ['D1', 'D2']],
    ['a malformed delegation', [{ delegated_invocation_id: 'x' }, null, 7, 'x', { content_hash: A }], ['D1', 'D2']],
    ['malformed delegations beside a recorded one', [null, [], { delegated_invocation_id: 'x', content_hash: A }], []],
    [
      'a delegation with an upper-case hash',
      [{ delegated_invocation_id: 'x', content_hash: A.toUpperCase() }],
      ['D1', 'D2'],
    ],
    ['delegations that are not a list', { delegated_invocation_id: 'x', content_hash: A }, ['D1', 'D2']],
    ['no delegations', null, ['D1', 'D2']],
  ])('judges a delegated reply by %s', (_, delegations, rules) => {
    const cites = [INPUT, ref('invocation:x')];
    expect(judged([root('delegation')], envelope('delegation', cites, { delegations })).rules).toEqual(rules);
  });

  it('does not take a child’s own id, without invocation:, for the delegation', () => {
    const delegations = [{ delegated_invocation_id: 'x', content_hash: A }];
    expect(judged([root('delegation')], envelope('delegation', [INPUT, ref('x')], { delegations })).rules).toEqual([
      'D1',
      'D2',
    ]);
  });

  it.each(['input_only', 'none', 'delegation'])('breaks R1 for a retrieval in %s, even one that failed', (mode) => {
    const failed = retrieval('1', ref('src:1'), { status: { status_code: 'ERROR' } });
    expect(verdict(judged([root(mode), failed], envelope(mode, [INPUT])))).toEqual({
      rules: ['R1'],
      retrievals: 1,
      chats: 0,
    });
  });

  it.each([
    ['input_only', []],
    ['delegation', []],
    ['none', ['N1']],
  ])('breaks N1 for a model call in none alone (%s)', (mode, rules) => {
    expect(judged([root(mode), chat('1')], envelope(mode, [INPUT])).rules).toEqual(rules);
  });
});
