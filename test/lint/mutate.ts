import fc from 'fast-check';

/** A JSON value that may be changed in place. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** One change of a document: which of its values, and what becomes of it. */
export interface Mutation {
  readonly at: number;
  readonly act: 'replace' | 'remove' | 'null' | 'repeat' | 'nest' | 'rename';
  readonly value: Json;
  readonly key: string;
}

const KEYS = [
  'grounded_on',
  'source_id',
  'content_hash',
  'content',
  'payload',
  'evidence',
  '__proto__',
  'constructor',
  'name',
  'parent_id',
];
const HASH = 'ab'.repeat(32);
const VALUES: Json[] = [
  null,
  '',
  'x',
  0,
  -0,
  1e300,
  true,
  [],
  {},
  [[]],
  HASH,
  [HASH],
  { source_id: 'x', content_hash: HASH },
  'retrieval',
  'chat',
  'invoke_agent',
];

/** Mutations that meet the linter's own vocabulary more often than chance would. */
export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    at: fc.nat(),
    act: fc.constantFrom('replace', 'remove', 'null', 'repeat', 'nest', 'rename'),
    value: fc.oneof(fc.constantFrom(...VALUES), fc.jsonValue() as fc.Arbitrary<Json>),
    key: fc.oneof(fc.constantFrom(...KEYS), fc.string()),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Changes a document in place. */
export function mutate(document: Json, changes: readonly Mutation[]): void {
  for (const change of changes) {
    const slots = slotsOf(document);
    const slot = slots[change.at % Math.max(slots.length, 1)];
    if (slot !== undefined) apply(change, slot);
  }
}

interface Slot {
  readonly holder: Json[] | { [key: string]: Json };
  readonly key: string;
}

/** Every place below the root at which a value stands. */
function slotsOf(document: Json): Slot[] {
  if (document === null || typeof document !== 'object') return [];
  const holder = document;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...slotsOf(Reflect.get(holder, key) as Json)]);
}

function apply({ act, value, key }: Mutation, slot: Slot): void {
  const old = Reflect.get(slot.holder, slot.key) as Json;
  const set = (name: string, one: Json) =>
    Object.defineProperty(slot.holder, name, {
      value: structuredClone(one),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  if (act === 'replace') set(slot.key, value);
  else if (act === 'null') set(slot.key, null);
  else if (act === 'nest') set(slot.key, Array.isArray(value) ? [old] : { [KEYS[0] ?? '']: old });
  else if (Array.isArray(slot.holder)) {
    if (act === 'remove') slot.holder.splice(Number(slot.key), 1);
    else slot.holder.push(structuredClone(old));
  } else {
    if (act !== 'repeat') delete slot.holder[slot.key];
    if (act !== 'remove') set(key, old);
  }
}
