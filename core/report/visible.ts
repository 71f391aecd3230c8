/**
 * Untrusted text on one line: what cannot be seen or would steer its surroundings stands as `\uXXXX` (control, line
 * breaking, bidirectional and other format characters, blanks that no font draws, private use, halves of a surrogate pair), and so
 * does the bracket of `##[`, with which a line of a workflow log becomes a command.
 */
export function visible(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSEEN, escaped);
}

/** A text that is safe in a log but keeps its line feeds. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** At most so many UTF-16 units, with `…` for what was left out; never half a surrogate pair. */
export function cut(text: string, maximum: number): string {
  if (text.length <= maximum) return text;
  const end = isHighSurrogate(text.charCodeAt(maximum - 2)) ? maximum - 2 : maximum - 1;
  return `${text.slice(0, end)}…`;
}

/** At most so many bytes of UTF-8, with `…` for what was left out; never half a character. */
export function cutBytes(text: string, maximum: number): string {
  if (Buffer.byteLength(text) <= maximum) return text;
  const bytes = Buffer.from(text);
  let end = maximum - ELLIPSIS_BYTES;
  while (end > 0 && isContinuation(bytes[end])) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}

/** Formats and separators by their category, then blanks that are letters or marks, then variation selectors but emoji's. */
const UNSEEN =
  /\p{Cc}|\p{Cf}|\p{Cs}|\p{Co}|\p{Zl}|\p{Zp}|\p{Noncharacter_Code_Point}|\u034f|[\u115f\u1160\u3164\uffa0]|[\u17b4\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0e]|[\u{e0100}-\u{e01ef}]|(?<=##)\[/gu;

/** Most text, and quickly told. */
const PLAIN = /^[ !"$-~]*$/;

const ELLIPSIS_BYTES = Buffer.byteLength('…');

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
