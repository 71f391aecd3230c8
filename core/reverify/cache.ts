import { createHmac, timingSafeEqual } from 'node:crypto';
import { byCodePoint } from '../json/index.js';
import { rememberedName } from './memory.js';

/** First line of a cache file; another one is of another form, and is not read. */
export const CACHE_HEADER = 'grounding-gate reverify cache 1';

/** Writes and reads the lines of a cache; with a key each line carries its own MAC, so that one can be trusted alone. */
export interface CacheSeal {
  seal(memory: string): string;
  /** The line without its MAC; undefined when it was not sealed with this key. */
  open(line: string): string | undefined;
}

/** `key` is a secret of the operator's, or null for a cache that stands where only the operator can write. */
export function cacheSeal(key: string | null): CacheSeal {
  if (key === null) return { seal: (memory) => `-\t${memory}`, open: (line) => partsOf(line)?.memory };
  const macOf = (memory: string): Buffer => createHmac('sha256', key).update(memory).digest();
  return {
    seal: (memory) => `${macOf(memory).toString('hex')}\t${memory}`,
    open(line) {
      const parts = partsOf(line);
      if (parts === undefined || !/^[0-9a-f]{64}$/.test(parts.mac)) return undefined;
      return timingSafeEqual(Buffer.from(parts.mac, 'hex'), macOf(parts.memory)) ? parts.memory : undefined;
    },
  };
}

function partsOf(line: string): { readonly mac: string; readonly memory: string } | undefined {
  const end = line.indexOf('\t');
  return end === -1 ? undefined : { mac: line.slice(0, end), memory: line.slice(end + 1) };
}

/**
 * What a cache holds, asked for in the order of the runs: cache and archive are walked side by side, so that a cache of any
 * size takes no memory. A line out of order is passed over, which costs a judgement and nothing else.
 */
export class CacheWalk {
  readonly #lines: AsyncIterator<string>;
  readonly #seal: CacheSeal;
  #next: { readonly name: string; readonly memory: string } | null | undefined;
  /** Lines that were not sealed with the key, or are no lines of a cache. */
  refused = 0;

  constructor(lines: AsyncIterable<string>, seal: CacheSeal) {
    this.#lines = lines[Symbol.asyncIterator]();
    this.#seal = seal;
  }

  /** The line about a run; names must be asked for in ascending order. */
  async take(name: string): Promise<string | undefined> {
    if (this.#next === undefined) await this.#advance();
    while (this.#next && byCodePoint(this.#next.name, name) < 0) await this.#advance();
    return this.#next?.name === name ? this.#next.memory : undefined;
  }

  async #advance(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#lines.next();
      if (done) {
        this.#next = null;
        return;
      }
      const memory = this.#seal.open(value);
      const name = memory === undefined ? undefined : rememberedName(memory);
      if (memory !== undefined && name !== undefined) {
        this.#next = { name, memory };
        return;
      }
      this.refused++;
    }
  }
}
