/** Patterns of contract 3; each matches the whole string. */
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const CONTENT_HASH = /^[0-9a-f]{64}$/;
export const PROFILE_REFERENCE = /^profile:[a-z0-9][a-z0-9.-]*@v[0-9]+$/;
export const IRI = /^[a-z][a-z0-9+.-]*:\S+$/;
export const VERSION = /^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$/;

/** Whether a text matches `CONTENT_HASH`; asked of every citation, where a loop takes a fraction of the pattern's time. */
export function isContentHash(text: string): boolean {
  if (text.length !== 64) return false;
  for (let i = 0; i < 64; i++) {
    const unit = text.charCodeAt(i);
    if (!((unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x66))) return false;
  }
  return true;
}
