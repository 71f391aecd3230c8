import { timestampOf } from '../trace/timestamp.js';

/** A count with its thing: `1 run`, `2 runs`, `10,000 runs`. */
export function counted(count: number, thing: string, plural = `${thing}s`): string {
  return `${grouped(count)} ${count === 1 ? thing : plural}`;
}

/** A whole number with its thousands apart. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** A size in bytes, as a reader compares it. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte');
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Nanoseconds as a reader compares them: three digits or more, with their unit. */
export function durationText(ns: bigint): string {
  const size = ns < 0n ? -ns : ns;
  const sign = ns < 0n ? '−' : '';
  if (size === 0n) return '0';
  if (size < 1_000n) return `${sign}${size} ns`;
  if (size < 1_000_000n) return `${sign}${digits(Number(size) / 1e3)} µs`;
  if (size < 1_000_000_000n) return `${sign}${digits(Number(size) / 1e6)} ms`;
  return `${sign}${digits(Number(size) / 1e9)} s`;
}

/** A round duration, without decimals that say nothing. */
export function tickText(ns: bigint): string {
  return durationText(ns)
    .replace(/(\.\d*?)0+(?= )/, '$1')
    .replace('. ', ' ');
}

function digits(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}

/** `2026-11-30 19:52:24 UTC` of milliseconds since the Unix epoch. */
export function timeText(ms: number): string {
  return `${timestampOf(BigInt(Math.trunc(ms)) * 1_000_000n)
    .slice(0, 19)
    .replace('T', ' ')} UTC`;
}
