/** Letters of other alphabets that are drawn like the Latin letters behind them. */
const DRAWN_ALIKE: readonly (readonly [others: string, latin: string])[] = [
  ['аα', 'a'],
  ['вβ', 'b'],
  ['сϲ', 'c'],
  ['ԁ', 'd'],
  ['еҽєε', 'e'],
  ['ɡ', 'g'],
  ['һн', 'h'],
  ['іıιɩ', 'i'],
  ['јϳ', 'j'],
  ['кκ', 'k'],
  ['ӏ', 'l'],
  ['мμ', 'm'],
  ['пη', 'n'],
  ['оοσ', 'o'],
  ['рρ', 'p'],
  ['ԛ', 'q'],
  ['гᴦ', 'r'],
  ['ѕ', 's'],
  ['тτ', 't'],
  ['υ', 'u'],
  ['νѵ', 'v'],
  ['ԝω', 'w'],
  ['хχ', 'x'],
  ['уγ', 'y'],
  ['ζ', 'z'],
];

const LATIN: ReadonlyMap<string, string> = new Map(
  DRAWN_ALIKE.flatMap(([others, latin]) => [...others].map((other) => [other, latin] as const)),
);
const LIKE_LATIN = new RegExp(`[${[...LATIN.keys()].join('')}]`, 'gu');
const UNSEEN = /[\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;
const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/;

/**
 * What a person reads a text as, for comparing it with the table: in lower case, without surrounding space, and in
 * Latin letters without marks or characters that nobody sees.
 */
export function likeness(text: string): string {
  if (!NOT_PRINTABLE_ASCII.test(text)) return text.trim().toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\s+/gu, ' ')
    .replace(UNSEEN, '')
    .toLowerCase()
    .replace(LIKE_LATIN, (letter) => LATIN.get(letter) ?? letter)
    .trim();
}
