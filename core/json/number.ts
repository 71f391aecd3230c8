/**
 * A finite double as Python's `json` writes it (contract 2): shortest round-trip digits, plain when
 * 1e-4 <= |x| < 1e16 and then always with a point, otherwise `d.ddde±XX` with at least two exponent digits.
 */
export function pythonFloat(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  // JavaScript's digits are the same shortest round-trip digits; only their layout differs.
  const text = String(value);
  const magnitude = Math.abs(value);
  if (magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e16)) return text.includes('.') ? text : `${text}.0`;
  const exponential = text.includes('e') ? text : value.toExponential();
  const cut = exponential.indexOf('e');
  const sign = exponential[cut + 1] === '-' ? '-' : '+';
  const exponent = exponential.slice(cut + 1).replace(/^[+-]/, '');
  return `${exponential.slice(0, cut)}e${sign}${exponent.padStart(2, '0')}`;
}
