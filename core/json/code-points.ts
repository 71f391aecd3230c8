/** Orders strings by Unicode code point; UTF-16 units order surrogates before U+E000–U+FFFF. */
export function byCodePoint(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    let a = left.charCodeAt(i);
    let b = right.charCodeAt(i);
    if (a === b) continue;
    // Surrogates stand above the rest of the basic plane.
    if (a >= 0xd800 && b >= 0xd800) {
      a = a >= 0xe000 ? a - 0x800 : a + 0x2000;
      b = b >= 0xe000 ? b - 0x800 : b + 0x2000;
    }
    return a - b;
  }
  return left.length - right.length;
}
