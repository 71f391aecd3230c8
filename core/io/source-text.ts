import { readFileSync } from 'node:fs';

/** The text of a source file; null when it cannot be read. */
export function sourceText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
