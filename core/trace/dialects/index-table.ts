import { HOST_KEYS, hostOf } from './host.js';
import { likeness } from './likeness.js';
import { type Dialect, isPermissive, type Row, type Sign } from './row.js';

/** A sign of a row that a span shows; `part` tells a row's own sign from its second one. */
export interface Match {
  readonly row: Row;
  readonly part: 'sign' | 'also';
}

/** What the table knows of one attribute key; `values` and `parts` by their likeness. */
export interface KeyEntry {
  readonly present: readonly Match[];
  readonly values: ReadonlyMap<string, readonly Match[]>;
  readonly parts: readonly ValuePart[];
  /** The value names a host. */
  readonly host: boolean;
  /** The value tells something, not only that it is there. */
  readonly valued: boolean;
  /** What was found out about short values before. */
  readonly known: Map<string, readonly Match[]>;
}

/** The beginning or the end of a value. */
interface ValuePart {
  readonly key: string;
  readonly value: string;
  readonly at: 'start' | 'end';
  readonly match: Match;
}

/** A match, and the text of its sign as the row writes it. */
type Written = readonly [text: string, match: Match];

/** The rows about one attribute key, while the index is built. */
interface KeyRows {
  readonly present: Written[];
  readonly values: { readonly key: string; readonly value: string; readonly match: Match }[];
  readonly parts: ValuePart[];
}

const NO_ROWS: KeyRows = { present: [], values: [], parts: [] };

/** How many keys and names are remembered: a hostile trace invents them by the million. */
const MEMORY = 4096;

/** The rows of the table, found by what a span shows. What a person reads as a sign is that sign; see `isPermissive`. */
export class TableIndex {
  readonly #names = new Map<string, Written[]>();
  readonly #beginnings = new Map<string, Written[]>();
  readonly #endings = new Map<string, Written[]>();
  readonly #keys = new Map<string, KeyRows>();
  readonly #prefixes = new Map<string, Written[]>();
  /** What stands before a point of a key: attributes may come as an object within an object. */
  readonly #above = new Set<string>();
  readonly #events = new Map<string, Match[]>();
  readonly #hosts = new Map<string, Match[]>();
  readonly #hostParts: [Extract<Sign, { readonly hostStarts: string } | { readonly hostEnds: string }>, Match][] = [];
  readonly #knownKeys = new Map<string, KeyEntry | null>();
  readonly #knownEvents = new Map<string, readonly Match[]>();
  readonly #knownNames = new Map<string, readonly Match[]>();

  constructor(dialects: readonly Dialect[]) {
    for (const row of dialects.flatMap((dialect) => dialect.rows)) {
      this.#add(row.sign, { row, part: 'sign' });
      if (row.also !== undefined) this.#add(row.also, { row, part: 'also' });
    }
    for (const key of HOST_KEYS) this.#addAbove(key);
  }

  #add(sign: Sign, match: Match): void {
    if ('nameStarts' in sign) push(this.#beginnings, firstWord(likeness(sign.nameStarts)), [sign.nameStarts, match]);
    else if ('nameEnds' in sign) push(this.#endings, likeness(sign.nameEnds), [sign.nameEnds, match]);
    else if ('name' in sign) push(this.#names, likeness(sign.name), [sign.name, match]);
    else if ('keyStarts' in sign) this.#addPrefix(sign.keyStarts, match);
    else if ('event' in sign) push(this.#events, likeness(sign.event), match);
    else if ('host' in sign) push(this.#hosts, sign.host, match);
    else if ('key' in sign) this.#addKey(sign, match);
    else this.#hostParts.push([sign, match]);
  }

  #addPrefix(prefix: string, match: Match): void {
    push(this.#prefixes, firstSegment(likeness(prefix)), [prefix, match]);
    this.#addAbove(prefix);
  }

  #addKey(sign: Extract<Sign, { readonly key: string }>, match: Match): void {
    const { key } = sign;
    const like = likeness(key);
    const known = this.#keys.get(like) ?? { present: [], values: [], parts: [] };
    this.#keys.set(like, known);
    if ('is' in sign) known.values.push({ key, value: likeness(sign.is), match });
    else if ('starts' in sign) known.parts.push({ key, value: likeness(sign.starts), at: 'start', match });
    else if ('ends' in sign) known.parts.push({ key, value: likeness(sign.ends), at: 'end', match });
    else known.present.push([key, match]);
    this.#addAbove(key);
  }

  #addAbove(key: string): void {
    const like = likeness(key);
    for (let at = like.indexOf('.'); at !== -1; at = like.indexOf('.', at + 1)) this.#above.add(like.slice(0, at));
  }

  /** What a span's name shows, a host within it included. */
  name(name: string): readonly Match[] {
    const known = this.#knownNames.get(name);
    if (known !== undefined) return known;
    const like = likeness(ends(name));
    const point = like.lastIndexOf('.');
    const found = [
      ...fitting(this.#names.get(like) ?? [], (text) => name === text),
      ...fitting(
        (this.#beginnings.get(firstWord(like)) ?? []).filter(([text]) => begins(like, likeness(text))),
        (text) => begins(name, text),
      ),
      ...fitting(point === -1 ? [] : (this.#endings.get(like.slice(point)) ?? []), (text) => name.endsWith(text)),
      ...like.split(' ', MAX_WORDS).flatMap((word) => (word.includes('.') ? this.#host(hostOf(word)) : [])),
    ];
    return name.length > LONGEST_END ? found : remember(this.#knownNames, name, found);
  }

  /** What the table knows of an attribute key; null when it says nothing. */
  key(key: string): KeyEntry | null {
    const known = this.#knownKeys.get(key);
    if (known !== undefined) return known;
    const like = likeness(key.length > LONGEST_END ? key.slice(0, LONGEST_END) : key);
    const { present, values, parts } = this.#keys.get(like) ?? NO_ROWS;
    const prefixed = (this.#prefixes.get(firstSegment(like)) ?? []).filter(([text]) => keyBegins(like, likeness(text)));
    const host = HOST_KEYS.has(like);
    const above = this.#above.has(like);
    if (present.length + values.length + parts.length + prefixed.length === 0 && !host && !above)
      return remember(this.#knownKeys, key, null);
    const own = (of: { readonly key: string; readonly match: Match }) =>
      of.key === key || !isPermissive(of.match.row.says);
    const byValue = new Map<string, Match[]>();
    for (const one of values.filter(own)) push(byValue, one.value, one.match);
    const entry = {
      present: [...fitting(present, (text) => text === key), ...fitting(prefixed, (text) => key.startsWith(text))],
      values: byValue,
      parts: parts.filter(own),
      host,
      valued: host || above || values.length + parts.length > 0,
      known: new Map<string, readonly Match[]>(),
    };
    return remember(this.#knownKeys, key, entry);
  }

  /** What an attribute's text shows, beside that it is there. */
  value(entry: KeyEntry, text: string): readonly Match[] {
    if (entry.values.size + entry.parts.length === 0 && !entry.host) return NO_MATCHES;
    if (text.length > SHORT_VALUE) return this.#value(entry, text);
    return entry.known.get(text) ?? remember(entry.known, text, this.#value(entry, text));
  }

  #value(entry: KeyEntry, text: string): readonly Match[] {
    const bare = unquoted(text);
    const like = likeness(bare.length > LONGEST_VALUE ? bare.slice(0, LONGEST_VALUE) : bare);
    const found = [...(entry.values.get(like) ?? [])];
    for (const { value, at, match } of entry.parts) {
      if (at === 'start' ? begins(like, value) : like.endsWith(value)) found.push(match);
    }
    if (entry.host) found.push(...this.#host(hostOf(bare)));
    return like === bare.toLowerCase() ? found : found.filter(({ row }) => !isPermissive(row.says));
  }

  #host(host: string): readonly Match[] {
    const found = [...(this.#hosts.get(host) ?? [])];
    for (const [sign, match] of this.#hostParts) {
      const fits = 'hostStarts' in sign ? host.startsWith(sign.hostStarts) : host.endsWith(sign.hostEnds);
      if (fits) found.push(match);
    }
    return found;
  }

  /** What an event of a span shows. */
  event(name: string): readonly Match[] {
    return (
      this.#knownEvents.get(name) ?? remember(this.#knownEvents, name, this.#events.get(likeness(name)) ?? NO_MATCHES)
    );
  }
}

/** How much of a name's beginning and of its end is compared: what is longer names nothing that anybody knows. */
const LONGEST_END = 16_384;

function ends(name: string): string {
  return name.length <= 2 * LONGEST_END ? name : `${name.slice(0, LONGEST_END)}${name.slice(-LONGEST_END)}`;
}

/** Words of a name in which a host is looked for. */
const MAX_WORDS = 8;
/** Values up to this length are remembered. */
const SHORT_VALUE = 128;
const NO_MATCHES: readonly Match[] = [];
/** Longer texts are no value of the table, and are not worth a copy in lower case. */
const LONGEST_VALUE = 2048;

/** The matches of signs that are written exactly so, and of those that need not be. */
function fitting(written: readonly Written[], exactly: (text: string) => boolean): Match[] {
  return written.filter(([text, { row }]) => !isPermissive(row.says) || exactly(text)).map(([, match]) => match);
}

/** Without the space and the quotes around it: some emitters write every value as JSON, or as Python prints it. */
function unquoted(text: string): string {
  const bare = text.trim();
  const quote = bare[0];
  const inQuotes = bare.length > 1 && (quote === '"' || quote === "'") && bare.endsWith(quote);
  return inQuotes ? bare.slice(1, -1).trim() : bare;
}

function begins(text: string, start: string): boolean {
  return text.startsWith(start) && (text.length === start.length || text[start.length] === ' ');
}

/** Whether a key begins so, or holds all that stands below: the list itself, or an object as text. */
function keyBegins(key: string, start: string): boolean {
  return key.startsWith(start) || (`${key}.` === start && key.includes('.'));
}

function firstWord(text: string): string {
  const space = text.indexOf(' ');
  return space === -1 ? text : text.slice(0, space);
}

function firstSegment(key: string): string {
  const point = key.indexOf('.');
  return point === -1 ? key : key.slice(0, point);
}

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [item]);
  else list.push(item);
}

function remember<T>(memory: Map<string, T>, key: string, value: T): T {
  if (memory.size >= MEMORY) memory.clear();
  memory.set(key, value);
  return value;
}
