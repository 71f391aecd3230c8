const OPENING = Buffer.from('{"invocation_id":"');
const ID_LENGTH = 36;
const QUOTE = 0x22;
const SPACE = 0x20;

/**
 * The id with which an index line begins, as every line of ours does; undefined for a line that begins otherwise. If the
 * line is a JSON document at all, this is its `invocation_id`, since a doubled key would make it none.
 */
export function quickId(line: Uint8Array): string | undefined {
  let at = 0;
  for (let i = 0; i < OPENING.length; i++) {
    const byte = OPENING[i];
    if (line[at] === SPACE && byte === QUOTE) at++;
    if (line[at] !== byte) return undefined;
    at++;
  }
  if (line[at + ID_LENGTH] !== QUOTE) return undefined;
  for (let i = 0; i < ID_LENGTH; i++) if (!isIdByte(line[at + i] ?? 0)) return undefined;
  return Buffer.from(line.buffer, line.byteOffset + at, ID_LENGTH).toString('latin1');
}

function isIdByte(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66) || byte === 0x2d;
}
