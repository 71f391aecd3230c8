import type { Clock } from '../model/ports.js';

const NS_PER_S = 1_000_000_000n;

/** So many requests at once, and so many a second after that: a bucket that fills up again. */
export class Budget {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #perSecond: number;
  #left: number;
  #at: bigint;

  constructor(clock: Clock, { burst, perSecond }: { readonly burst: number; readonly perSecond: number }) {
    this.#clock = clock;
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#left = burst;
    this.#at = clock.nowNs();
  }

  /** Takes as many as something turned out to cost, even more than are left: what comes next has to wait for them. */
  charge(cost: number): void {
    this.#left -= cost;
  }

  /** Takes one; false when there is none left. */
  take(): boolean {
    const now = this.#clock.nowNs();
    const gained = (Number(now - this.#at) * this.#perSecond) / Number(NS_PER_S);
    this.#left = Math.min(this.#burst, this.#left + gained);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
