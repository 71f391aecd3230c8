import { HOST_KEYS, hostOf } from './host.js';
import type { Dialect, Row, Sign } from './row.js';

/** A sign of a row that a span shows; `part` tells a row's own sign from its second one. */
export interface Match {
  readonly row: Row;
  readonly part: 'sign' | 'also';
}

/** What the table knows of one attribute key; `values` are in lower case. */
export interface KeyEntry {
  readonly present: readonly Match[];
  readonly values: ReadonlyMap<string, readonly Match[]>;
  readonly starts: readonly (readonly [string, Match])[];
  /** The value names a host. */
  readonly host: boolean;
  /** The value tells something, not only that it is there. */
  readonly valued: boolean;
}

/** The rows about one attribute key, while the index is built. */
interface KeyRows {
  readonly present: Match[];
  readonly values: Map<string, Match[]>;
  readonly starts: [string, Match][];
}

/** How many keys and names are remembered: a hostile trace invents them by the million. */
const MEMORY = 4096;

/** The rows of the table, found by what a span shows. */
export class TableIndex {
  readonly #names = new Map<string, Match[]>();
  readonly #anyCase = new Map<string, Match[]>();
  readonly #beginnings = new Map<string, [string, Match][]>();
  readonly #endings = new Map<string, Match[]>();
  readonly #keys = new Map<string, KeyRows>();
  readonly #prefixes = new Map<string, [string, Match][]>();
  readonly #events = new Map<string, Match[]>();
  readonly #hosts = new Map<string, Match[]>();
  readonly #hostParts: [Extract<Sign, { readonly hostStarts: string } | { readonly hostEnds: string }>, Match][] = [];
  readonly #knownKeys = new Map<string, KeyEntry | null>();
  readonly #knownNames = new Map<string, readonly Match[]>();

  constructor(dialects: readonly Dialect[]) {
    for (const row of dialects.flatMap((dialect) => dialect.rows)) {
      this.#add(row.sign, { row, part: 'sign' });
      if (row.also !== undefined) this.#add(row.also, { row, part: 'also' });
    }
  }

  #add(sign: Sign, match: Match): void {
    if ('nameStarts' in sign) push(this.#beginnings, firstWord(sign.nameStarts), [sign.nameStarts, match]);
    else if ('nameEnds' in sign) push(this.#endings, sign.nameEnds, match);
    else if ('name' in sign && sign.anyCase === true) push(this.#anyCase, sign.name.toLowerCase(), match);
    else if ('name' in sign) push(this.#names, sign.name, match);
    else if ('keyStarts' in sign) push(this.#prefixes, firstSegment(sign.keyStarts), [sign.keyStarts, match]);
    else if ('event' in sign) push(this.#events, sign.event, match);
    else if ('host' in sign) push(this.#hosts, sign.host, match);
    else if ('key' in sign) this.#addKey(sign, match);
    else this.#hostParts.push([sign, match]);
  }

  #addKey(sign: Extract<Sign, { readonly key: string }>, match: Match): void {
    const entry: KeyRows = this.#keys.get(sign.key) ?? { present: [], values: new Map(), starts: [] };
    this.#keys.set(sign.key, entry);
    if ('is' in sign) push(entry.values, sign.is.toLowerCase(), match);
    else if ('starts' in sign) entry.starts.push([sign.starts.toLowerCase(), match]);
    else entry.present.push(match);
  }

  /** What a span's name shows. */
  name(name: string): readonly Match[] {
    const known = this.#knownNames.get(name);
    if (known !== undefined) return known;
    const found: Match[] = [...(this.#names.get(name) ?? []), ...(this.#anyCase.get(name.toLowerCase()) ?? [])];
    for (const [text, match] of this.#beginnings.get(firstWord(name)) ?? []) if (begins(name, text)) found.push(match);
    const point = name.lastIndexOf('.');
    if (point !== -1) found.push(...(this.#endings.get(name.slice(point)) ?? []));
    return remember(this.#knownNames, name, found);
  }

  /** What the table knows of an attribute key; null when it says nothing. */
  key(key: string): KeyEntry | null {
    const known = this.#knownKeys.get(key);
    if (known !== undefined) return known;
    const exact = this.#keys.get(key);
    const prefixed = (this.#prefixes.get(firstSegment(key)) ?? []).filter(([prefix]) => key.startsWith(prefix));
    const host = HOST_KEYS.has(key);
    if (exact === undefined && prefixed.length === 0 && !host) return remember(this.#knownKeys, key, null);
    const entry = {
      present: [...(exact?.present ?? []), ...prefixed.map(([, match]) => match)],
      values: exact?.values ?? new Map<string, Match[]>(),
      starts: exact?.starts ?? [],
      host,
      valued: host || (exact !== undefined && exact.values.size + exact.starts.length > 0),
    };
    return remember(this.#knownKeys, key, entry);
  }

  /** What an attribute's text shows, beside that it is there. */
  value(entry: KeyEntry, text: string): readonly Match[] {
    const plain = plainValue(text);
    const found = [...(entry.values.get(plain) ?? [])];
    for (const [start, match] of entry.starts) if (begins(plain, start)) found.push(match);
    if (entry.host) found.push(...this.#host(hostOf(plain)));
    return found;
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
    return this.#events.get(name) ?? [];
  }
}

/** Longer texts are no value of the table, and are not worth a copy in lower case. */
const LONGEST_VALUE = 2048;

/** In lower case, without the quotes of emitters that write every value as JSON. */
function plainValue(text: string): string {
  const cut = text.length > LONGEST_VALUE ? text.slice(0, LONGEST_VALUE) : text;
  const bare = cut.length > 1 && cut.startsWith('"') && cut.endsWith('"') ? cut.slice(1, -1) : cut;
  return bare.trim().toLowerCase();
}

function begins(text: string, start: string): boolean {
  return text.startsWith(start) && (text.length === start.length || text[start.length] === ' ');
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
