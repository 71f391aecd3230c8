import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InstantReader } from '../../core/trace/index.js';

/** One reader for all cases, so that what it keeps from one is there in the next. */
const instants = new InstantReader();
const instantOf = (text: string) => instants.read(text);

describe('InstantReader', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['1970-01-01T00:00:00.000000001Z', 1n],
    ['1970-01-01T00:00:00.1Z', 100_000_000n],
    ['1970-01-01t00:00:00z', 0n],
    ['1970-01-01T01:00:00+01:00', 0n],
    ['1969-12-31T23:30:00-00:30', 0n],
    ['1970-01-01T00:00:00-00:00', 0n],
    ['1969-12-31T23:59:59.999999999Z', -1n],
    ['2026-09-30T10:00:00.000000Z', 1_790_762_400_000_000_000n],
    ['2000-02-29T00:00:00Z', 951_782_400_000_000_000n],
    ['2024-02-29T23:59:59Z', 1_709_251_199_000_000_000n],
    ['9999-12-31T23:59:59.999999999Z', 253_402_300_799_999_999_999n],
    ['0000-01-01T00:00:00Z', -62_167_219_200_000_000_000n],
    ['2016-12-31T23:59:60Z', 1_483_228_800_000_000_000n],
    ['2017-01-01T01:59:60+02:00', 1_483_228_800_000_000_000n],
  ])('returns the exact nanoseconds of %s', (text, instant) => {
    expect(instantOf(text)).toBe(instant);
  });

  it.each([
    '2026-09-30T10:00:00',
    '2026-09-30 10:00:00Z',
    '2026-09-30T10:00Z',
    '2026-09-30',
    '',
    ' 2026-09-30T10:00:00Z',
    '2026-09-30T10:00:00Z ',
    '2026-09-30T10:00:00Z\n',
    '2026-9-30T10:00:00Z',
    '26-09-30T10:00:00Z',
    '+2026-09-30T10:00:00Z',
    '2026-09-30T10:00:00.Z',
    '2026-09-30T10:00:00,5Z',
    '2026-09-30T10:00:00.1234567890Z',
    '2026-09-30T10:00:00+0200',
    '2026-09-30T10:00:00+2:00',
    '2026-09-30T10:00:00+24:00',
    '2026-09-30T10:00:00+01:60',
    '2026-00-30T10:00:00Z',
    '2026-13-30T10:00:00Z',
    '2026-09-00T10:00:00Z',
    '2026-09-31T10:00:00Z',
    '2026-02-29T10:00:00Z',
    '1900-02-29T10:00:00Z',
    '2026-09-30T24:00:00Z',
    '2026-09-30T10:60:00Z',
    '2026-09-30T10:00:61Z',
    '2026-09-30T10:00:60Z',
    '2026-09-29T23:59:60Z',
    '2016-12-31T23:59:60+02:00',
    '２０２６-09-30T10:00:00Z',
    '2026-09-30T10:00:00Z"',
    '2026-09-30T10:00:00Z"x',
    '2026-09-30T10:00:00 Z',
    '2026-09-30T10:00:00\u2212 01:00',
  ])('returns nothing when the text is %j', (text) => {
    expect(instantOf(text)).toBeUndefined();
  });

  it('agrees with Date on every millisecond that Date can write', () => {
    const date = fc.date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, (at) => {
        expect(instantOf(at.toISOString())).toBe(BigInt(at.getTime()) * 1_000_000n);
      }),
    );
  });

  it('agrees with itself when the same instant is written with an offset', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: -1439, max: 1439 }), (at, minutes) => {
        const local = new Date(at + minutes * 60_000).toISOString().slice(0, -1);
        const size = Math.abs(minutes);
        const clock = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0')).join(':');
        expect(instantOf(`${local}${minutes < 0 ? '-' : '+'}${clock}`)).toBe(BigInt(at) * 1_000_000n);
      }),
    );
  });
});
