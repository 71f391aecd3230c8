/** A message stays readable, whatever the length of the id that it names. */
const LONGEST_ID = 200;

/** An untrusted text in quotes, cut when it is very long; renderers escape it for their own format. */
export function quoted(text: string): string {
  if (text.length <= LONGEST_ID) return `"${text}"`;
  // A cut between the halves of a surrogate pair would leave text that is not Unicode.
  return `"${text.slice(0, LONGEST_ID).replace(/[\ud800-\udbff]$/, '')}…"`;
}

/** The first 12 digits of a hash, as the linter's messages have them (contract 5). */
export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}
