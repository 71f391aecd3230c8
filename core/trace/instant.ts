/** RFC 3339 date-time with an offset; at most nine decimals, so that every instant is whole nanoseconds (contract 4). */
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const NS_PER_SECOND = 1_000_000_000n;
const SECONDS_PER_DAY = 86_400;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Nanoseconds since the Unix epoch of an RFC 3339 time with an offset, exactly; undefined when `text` is not one or
 * names an impossible date. A leap second counts as the first instant of the next day, as POSIX time has it.
 */
export function instantOf(text: string): bigint | undefined {
  const parts = DATE_TIME.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = parts;
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  const clock = { hour: Number(hour), minute: Number(minute), second: Number(second) };
  const offset = { hour: Number(offsetHour), minute: Number(offsetMinute) };
  if (!isDate(date) || clock.hour > 23 || clock.minute > 59 || clock.second > 60) return undefined;
  if (offset.hour > 23 || offset.minute > 59) return undefined;
  const east = (offset.hour * 3600 + offset.minute * 60) * (sign === '-' ? -1 : 1);
  const seconds = daysSinceEpoch(date) * SECONDS_PER_DAY + clock.hour * 3600 + clock.minute * 60 + clock.second - east;
  if (clock.second === 60 && !beginsMonth(seconds, date)) return undefined;
  return BigInt(seconds) * NS_PER_SECOND + BigInt(fraction.padEnd(9, '0'));
}

interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

function isDate(date: CivilDate): boolean {
  return date.month >= 1 && date.month <= 12 && date.day >= 1 && date.day <= daysIn(date);
}

function daysIn({ year, month }: CivilDate): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}

/** Days from 1970-01-01 in the proleptic Gregorian calendar, counted in years that begin in March. */
function daysSinceEpoch({ year, month, day }: CivilDate): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}

/** Leap seconds stand at the end of a month in UTC; with an offset the local date may already be the next month's first. */
function beginsMonth(seconds: number, local: CivilDate): boolean {
  const first = daysSinceEpoch({ ...local, day: 1 });
  return seconds === first * SECONDS_PER_DAY || seconds === (first + daysIn(local)) * SECONDS_PER_DAY;
}
