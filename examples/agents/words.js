// @ts-check

/** Words that say nothing about what a dataset or a claim is about. */
const COMMON = new Set(
  'a an and any are as at be been but by can data dataset datasets do does each for from has have how i in into is it its kind may more my of on one or other our set so such than that the their them these they this those to use used uses using was we were what when where which who will with you your'.split(
    ' ',
  ),
);

/**
 * The words of a text that can tell one subject from another, in lower case and without a plural ending, each once.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function contentWords(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.filter((word) => word.length > 1 && !COMMON.has(word)).map(singular))];
}

/**
 * A lexical guess, good enough to let "files" meet "file"; "es" endings keep their "e" and "ss", "us" and "is" are left alone.
 *
 * @param {string} word
 */
function singular(word) {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1);
  return word;
}
