const DAY_NS = 86_400_000_000_000n;

/**
 * RFC 3339 text of an instant, in UTC with six decimals, truncated (contract 4).
 * `ns` counts nanoseconds since the Unix epoch and may not be negative.
 */
export function timestampOf(ns: bigint): string {
  const { year, month, day } = dateOfDays(Number(ns / DAY_NS));
  const micros = (ns % DAY_NS) / 1000n;
  const seconds = Number(micros / 1_000_000n);
  const clock = [Math.trunc(seconds / 3600), Math.trunc(seconds / 60) % 60, seconds % 60].map((part) => pad(part, 2));
  const fraction = pad(Number(micros % 1_000_000n), 6);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${clock.join(':')}.${fraction}Z`;
}

/** Gregorian date of a day counted from 1970-01-01; years are taken to begin in March, so that a leap day comes last. */
function dateOfDays(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const sinceMarchOfYear0 = days + 719_468;
  const era = Math.floor(sinceMarchOfYear0 / 146_097);
  const dayOfEra = sinceMarchOfYear0 - era * 146_097;
  const leapDays = Math.trunc(dayOfEra / 1460) - Math.trunc(dayOfEra / 36_524) + Math.trunc(dayOfEra / 146_096);
  const yearOfEra = Math.trunc((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.trunc(yearOfEra / 4) - Math.trunc(yearOfEra / 100));
  const monthFromMarch = Math.trunc((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.trunc((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
