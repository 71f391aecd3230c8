import { globMatches } from '../fixtures/index.js';
import { systemClock } from '../io/clock.js';
import { MAX_SHARDS, type Selection, type Shard } from '../reverify/select.js';
import { InstantReader } from '../trace/index.js';
import type { Call } from './command.js';
import { usage } from './options.js';

const NS_PER_MS = 1_000_000n;
const MS_OF_UNIT = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
]);

/** Which runs a call wants; throws GateError `usage`. */
export function selectionOf(call: Call): Selection {
  const only = call.options.text('only');
  return {
    shard: shardOption(call.options.text('shard')),
    sinceMs: sinceOption(call.options.text('since')),
    only: only === undefined ? null : (name) => globMatches(only, name),
  };
}

/** Reads `I/N`, I from 1 to N. */
function shardOption(text: string | undefined): Shard | null {
  if (text === undefined) return null;
  const [, index, of] = /^([1-9][0-9]{0,5})\/([1-9][0-9]{0,5})$/.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (index === undefined || shard.index > shard.of || shard.of > MAX_SHARDS)
    throw usage(`--shard is ${JSON.stringify(text)}`, 'write I/N, I from 1 to N, as in 2/8');
  return shard;
}

/** Reads a time, a date, or how long ago, as milliseconds since the Unix epoch. */
function sinceOption(text: string | undefined): number | null {
  if (text === undefined) return null;
  const [, count, unit = ''] = /^([0-9]{1,6})([dh])$/.exec(text) ?? [];
  const span = MS_OF_UNIT.get(unit);
  if (count !== undefined && span !== undefined)
    return Number(systemClock().nowNs() / NS_PER_MS) - Number(count) * span;
  const instant = new InstantReader().read(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (instant === undefined)
    throw usage(
      `--since is ${JSON.stringify(text)}`,
      'give a date, an RFC 3339 time with an offset, or how long ago, as in 7d or 12h',
    );
  return Number(instant / NS_PER_MS);
}
