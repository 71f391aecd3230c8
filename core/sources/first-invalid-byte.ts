import { isUtf8 } from 'node:buffer';

/** The offset of the first byte that no UTF-8 text could hold there; `bytes` must not be UTF-8. */
export function firstInvalidByte(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (isUtf8(bytes.subarray(0, characterStart(bytes, middle)))) valid = middle;
    else invalid = middle;
  }
  return characterStart(bytes, valid);
}

// A prefix is not wrong merely for ending inside a character, which has at most three bytes after its first.
function characterStart(bytes: Uint8Array, offset: number): number {
  let at = offset;
  for (let step = 0; step < 3 && at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80; step += 1) at -= 1;
  return at;
}
