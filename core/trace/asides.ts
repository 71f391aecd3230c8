import type { JsonNode } from '../json/index.js';
import type { AttributeSet } from './attributes.js';
import { type Counter, countedLosses } from './losses.js';
import type { Loss } from './span.js';

/** What a span carries beside its own attributes: its events and its links. */
export interface Asides {
  /** The names of its events. */
  readonly events: readonly string[];
  /** The attributes of its events and links. */
  readonly sets: readonly AttributeSet[];
  /** Which of the two members are not as their file shape has them. */
  readonly malformed: readonly string[];
  readonly losses: readonly Loss[];
}

const NO_ASIDES: Asides = { events: [], sets: [], malformed: [], losses: [] };

/** How one file shape writes them. */
export interface AsidesShape {
  readonly attributes: (node: JsonNode | undefined) => AttributeSet;
  /** Keys under which an event or a link counts the attributes that were dropped of it. */
  readonly dropped: readonly string[];
}

/** The members `events` and `links` of a span, null ones left out. A model call may be told there as well as on the span. */
export function asidesOf(
  members: { readonly events: JsonNode | undefined; readonly links: JsonNode | undefined },
  shape: AsidesShape,
): Asides {
  if (isEmpty(members.events) && isEmpty(members.links)) return NO_ASIDES;
  const lists = [['events', members.events] as const, ['links', members.links] as const];
  const malformed = new Set<string>();
  const found = { events: [] as string[], sets: [] as AttributeSet[], losses: [] as Loss[] };
  for (const [member, list] of lists) {
    if (list !== undefined && list.kind !== 'array') malformed.add(member);
    const counters: readonly Counter[] = shape.dropped.map((key) => ({
      key,
      what: `attributes of ${member}` as const,
    }));
    for (const item of list?.items() ?? []) {
      const name = item.present('name');
      const text = name?.string();
      const set = shape.attributes(item.present('attributes'));
      if (item.kind !== 'object' || !set.sound || (name !== undefined && text === undefined)) malformed.add(member);
      if (member === 'events' && text !== undefined) found.events.push(text);
      if (set.size > 0) found.sets.push(set);
      found.losses.push(...countedLosses(item, { counters, attributes: set.size }));
    }
  }
  return { ...found, malformed: [...malformed] };
}

function isEmpty(list: JsonNode | undefined): boolean {
  return list === undefined || (list.kind === 'array' && list.size === 0);
}
