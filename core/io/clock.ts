import type { Clock } from '../model/ports.js';

/** How far the wall clock may run ahead before this one is set forward (a laptop that slept). */
const MAX_LAG_NS = 1_000_000_000n;

/**
 * The machine's clock: nanoseconds since the Unix epoch, counted by the monotonic timer, so that it never goes back.
 * It starts from a wall clock read to the microsecond: spans of two processes then nest as they happened.
 */
export function systemClock(): Clock {
  let offset = wallClockNs() - process.hrtime.bigint();
  return {
    nowNs() {
      const now = process.hrtime.bigint() + offset;
      const lag = BigInt(Date.now()) * 1_000_000n - now;
      if (lag <= MAX_LAG_NS) return now;
      offset += lag;
      return now + lag;
    },
  };
}

function wallClockNs(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;
}
