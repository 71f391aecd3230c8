import { pino } from 'pino';
import { oneLine } from '../../core/index.js';
import type { BotLog, Facts } from '../jobs.js';
import type { Settings } from '../settings.js';

const LONGEST_FACT = 300;

/** Lines of JSON for a collector: time, level, event, facts. `write` takes one whole line with its end. */
export function createLog({ level, write }: { level: Settings['logLevel']; write: (line: string) => void }): BotLog {
  const log = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
  return {
    debug: (event, facts) => log.debug(safe(facts), event),
    info: (event, facts) => log.info(safe(facts), event),
    warn: (event, facts) => log.warn(safe(facts), event),
    error: (event, facts) => log.error(safe(facts), event),
  };
}

/** For libraries that would log by themselves, with payloads in it. */
export function silentLog() {
  return pino({ level: 'silent' });
}

function safe(facts: Facts = {}): Facts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'string' ? oneLine(value).slice(0, LONGEST_FACT) : value,
    ]),
  );
}
