import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growTree } from '../../core/lint/trace-tree.js';
import { classify, NO_FACTS, type Span } from '../../core/trace/index.js';

const IDS = ['a', 'b', 'c', 'd', 'e'];
const node = fc.record({
  name: fc.constantFrom('retrieval', 'chat', 'other'),
  id: fc.constantFrom(...IDS),
  parent: fc.constantFrom(null, ...IDS, 'nobody'),
});
const rootAt = fc.record({
  id: fc.constantFrom(...IDS),
  parent: fc.constantFrom(null, ...IDS),
  index: fc.nat({ max: 8 }),
});

describe('growTree', () => {
  it('reaches exactly the spans that a search by hand reaches, over every small graph', () => {
    fc.assert(
      fc.property(fc.array(node, { maxLength: 8 }), rootAt, (nodes, root) => {
        const spans = nodes.map(({ name, id, parent }) => spanOf({ name, id, parent }));
        spans.splice(Math.min(root.index, spans.length), 0, spanOf({ name: 'root', ...root }));
        const tree = growTree(spans);
        const reached = searched(spans);
        expect(tree.retrievals).toEqual(reached.filter((span) => span.role === 'retrieval'));
        expect(tree.chats).toEqual(reached.filter((span) => span.role === 'chat'));
        const ids = spans.map((span) => span.spanId);
        expect(tree.repeated.length > 0).toBe(new Set(ids).size < ids.length);
        expect(tree.detached.length > 0).toBe(holders(spans).length > reached.length);
        expect(tree.rootParent !== undefined).toBe(root.parent !== null && ids.includes(root.parent));
      }),
      { numRuns: 5000 },
    );
  });

  it('takes a chain and a circle of 200,000 spans in its stride', () => {
    const chain = Array.from({ length: 200_000 }, (_, i) =>
      spanOf({ name: 'chat', id: `c${i}`, parent: i === 0 ? 'r' : `c${i - 1}` }),
    );
    const circle = Array.from({ length: 200_000 }, (_, i) =>
      spanOf({ name: 'chat', id: `o${i}`, parent: `o${(i + 1) % 200_000}` }),
    );
    const tree = growTree([...circle, ...chain.reverse(), spanOf({ name: 'root', id: 'r', parent: null })]);
    expect(tree.chats).toHaveLength(200_000);
    expect(tree.detached.map(({ why }) => why)).toEqual(['cycle']);
  });
});

/** The spans that hold their id (contract 5), found the slow way. */
function holders(spans: readonly Span[]): readonly Span[] {
  const root = spans.find((span) => span.role === 'root');
  return spans.filter(
    (span) =>
      span === root || (span.spanId !== root?.spanId && spans.find((one) => one.spanId === span.spanId) === span),
  );
}

/** Grows the set of reached spans until nothing is added. */
function searched(spans: readonly Span[]): readonly Span[] {
  const held = holders(spans);
  const reached = new Set(held.filter((span) => span.role === 'root'));
  for (let before = -1; before !== reached.size; ) {
    before = reached.size;
    for (const span of held) {
      if ([...reached].some((above) => above.spanId === span.parentId)) reached.add(span);
    }
  }
  return spans.filter((span) => reached.has(span));
}

function spanOf(given: { readonly name: string; readonly id: string; readonly parent: string | null }): Span {
  const name = given.name === 'root' ? 'invoke_agent' : given.name;
  const recognition = classify({ name, attributes: [], events: [] });
  const times = { start: 0n, end: 1n, failed: false, kind: null, facts: NO_FACTS, file: 's', line: 1 };
  return {
    role: recognition.role,
    recognition,
    name,
    traceId: 't',
    spanId: given.id,
    parentId: given.parent,
    ...times,
  };
}
