const NS_PER_SECOND = 1_000_000_000n;
const SECONDS_PER_DAY = 86_400;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** Length of `YYYY-MM-DDTHH:MM:SS`, which every time begins with. */
const CLOCK_END = 19;
/** So that every instant is a whole number of nanoseconds (contract 4). */
const MAX_DECIMALS = 9;
const NOT_DIGITS = -1;

const QUOTE = 0x22;
const DASH = 0x2d;
const COLON = 0x3a;
const POINT = 0x2e;
const PLUS = 0x2b;
const ZERO = 0x30;
const LETTER_T = 0x74;
const LETTER_Z = 0x7a;

/**
 * Reads RFC 3339 times with an offset and at most nine decimals (contract 4). The times of a trace mostly share their
 * second, so the last one is kept as a bigint: making bigints is what costs, and a trace holds two times a span.
 */
export class InstantReader {
  #seconds = Number.NaN;
  #base = 0n;
  /** The bytes of the last time that was read, to its second, and where they stand; an offset of Z came behind it. */
  #clock: Uint8Array | undefined;
  #clockAt = 0;

  /**
   * Nanoseconds since the Unix epoch, exactly; undefined when the text is not such a time or names an impossible date.
   * A leap second counts as the first instant of the next day, as POSIX time has it.
   */
  read(text: string): bigint | undefined {
    return text.includes('"') ? undefined : this.readQuoted(Buffer.from(`"${text}"`), 0);
  }

  /** The same for the JSON string, without escapes, whose opening quote stands at `quote`. */
  readQuoted(bytes: Uint8Array, quote: number): bigint | undefined {
    const at = quote + 1;
    if (this.#sameSecond(bytes, at)) {
      const decimals = decimalsAt(bytes, at + CLOCK_END);
      const end = decimals > 0 ? at + CLOCK_END + 1 + decimals : at + CLOCK_END;
      if (decimals !== NOT_DIGITS && offsetAt(bytes, end) === 0)
        return this.#base + BigInt(nanosecondsAt(bytes, { from: at + CLOCK_END + 1, decimals }));
    }
    const local = localTimeAt(bytes, at);
    if (local === undefined) return undefined;
    const decimals = decimalsAt(bytes, at + CLOCK_END);
    if (decimals === NOT_DIGITS) return undefined;
    const offset = offsetAt(bytes, decimals === 0 ? at + CLOCK_END : at + CLOCK_END + 1 + decimals);
    if (offset === undefined) return undefined;
    const seconds = daysSinceEpoch(local) * SECONDS_PER_DAY + local.secondOfDay - offset;
    if (local.leap && !beginsMonth(seconds, local)) return undefined;
    if (seconds !== this.#seconds) {
      this.#seconds = seconds;
      this.#base = BigInt(seconds) * NS_PER_SECOND;
    }
    this.#clock = offset === 0 && !local.leap ? bytes : undefined;
    this.#clockAt = at;
    return this.#base + BigInt(nanosecondsAt(bytes, { from: at + CLOCK_END + 1, decimals }));
  }

  /** Whether a time begins with the very bytes of the one before, which was of UTC, so that its second is known. */
  #sameSecond(bytes: Uint8Array, at: number): boolean {
    if (this.#clock !== bytes) return false;
    for (let i = CLOCK_END - 1; i >= 0; i--) if (bytes[at + i] !== bytes[this.#clockAt + i]) return false;
    return true;
  }
}

interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly secondOfDay: number;
  /** The second is 60. */
  readonly leap: boolean;
}

function localTimeAt(bytes: Uint8Array, at: number): LocalTime | undefined {
  if (bytes[at + 4] !== DASH || bytes[at + 7] !== DASH || bytes[at + 13] !== COLON || bytes[at + 16] !== COLON)
    return undefined;
  if (lowerCase(bytes[at + 10]) !== LETTER_T) return undefined;
  const century = pairAt(bytes, at);
  const yearOfCentury = pairAt(bytes, at + 2);
  const month = pairAt(bytes, at + 5);
  const day = pairAt(bytes, at + 8);
  const hour = pairAt(bytes, at + 11);
  const minute = pairAt(bytes, at + 14);
  const second = pairAt(bytes, at + 17);
  if (century < 0 || yearOfCentury < 0 || hour < 0 || hour > 23 || minute < 0 || minute > 59) return undefined;
  if (second < 0 || second > 60 || month < 1 || month > 12) return undefined;
  const year = century * 100 + yearOfCentury;
  if (day < 1 || day > daysIn(year, month)) return undefined;
  return { year, month, day, secondOfDay: hour * 3600 + minute * 60 + second, leap: second === 60 };
}

/** How many decimals follow the seconds: 0 without a point, NOT_DIGITS when a point is followed by none or too many. */
function decimalsAt(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== POINT) return 0;
  let decimals = 0;
  while (isDigit(bytes[at + 1 + decimals])) decimals++;
  return decimals === 0 || decimals > MAX_DECIMALS ? NOT_DIGITS : decimals;
}

function nanosecondsAt(bytes: Uint8Array, fraction: { readonly from: number; readonly decimals: number }): number {
  let value = 0;
  for (let i = 0; i < MAX_DECIMALS; i++)
    value = value * 10 + (i < fraction.decimals ? digitOf(bytes[fraction.from + i]) : 0);
  return value;
}

/** Seconds east of UTC of the offset that ends the string; undefined when none, or something else, stands at `at`. */
function offsetAt(bytes: Uint8Array, at: number): number | undefined {
  const sign = bytes[at];
  if (lowerCase(sign) === LETTER_Z) return bytes[at + 1] === QUOTE ? 0 : undefined;
  if ((sign !== PLUS && sign !== DASH) || bytes[at + 3] !== COLON || bytes[at + 6] !== QUOTE) return undefined;
  const hour = pairAt(bytes, at + 1);
  const minute = pairAt(bytes, at + 4);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return undefined;
  const size = hour * 3600 + minute * 60;
  return sign === DASH ? -size : size;
}

function lowerCase(byte: number | undefined): number {
  return (byte ?? 0) | 0x20;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

function digitOf(byte: number | undefined): number {
  return (byte ?? 0) - ZERO;
}

/** The number that two digits at `at` write, or NOT_DIGITS. */
function pairAt(bytes: Uint8Array, at: number): number {
  const tens = bytes[at];
  const units = bytes[at + 1];
  return isDigit(tens) && isDigit(units) ? digitOf(tens) * 10 + digitOf(units) : NOT_DIGITS;
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && leap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}

/** Days from 1970-01-01 in the proleptic Gregorian calendar, counted in years that begin in March. */
function daysSinceEpoch({ year, month, day }: LocalTime): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}

/** Leap seconds stand at the end of a month in UTC; with an offset the local date may already be the next month's first. */
function beginsMonth(seconds: number, local: LocalTime): boolean {
  const first = daysSinceEpoch({ ...local, day: 1 });
  return seconds === first * SECONDS_PER_DAY || seconds === (first + daysIn(local.year, local.month)) * SECONDS_PER_DAY;
}
