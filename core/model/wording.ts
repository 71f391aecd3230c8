/** A message stays readable, whatever the length of what it names. */
const LONGEST_TEXT = 200;
const HASH_DIGITS = 12;

/** An untrusted text, cut when it is very long. */
export function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  // A cut between the halves of a surrogate pair would leave text that is not Unicode.
  const cut = text.slice(0, LONGEST_TEXT).replace(/[\ud800-\udbff]$/, '');
  return `${cut}…`;
}

/** An untrusted text in quotes, cut when it is very long; renderers escape it for their own format. */
export function quoted(text: string): string {
  return `"${shortened(text)}"`;
}

/** The first 12 digits of a hash (contract 5). */
export function shortHash(hash: string): string {
  return hash.slice(0, HASH_DIGITS);
}
