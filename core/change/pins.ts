import { posix } from 'node:path';
import { GateError } from '../model/errors.js';
import type { Finding, FindingPlace } from '../report/index.js';
import { parseSourcesConfiguration } from '../sources/index.js';

/**
 * Finds the pin of a finding's source in sources.yaml: the entry of the copy that the finding names, or the only one there is. `file` is the
 * path from the root, `named` what messages call it; a sources file that is missing or refused has no pins.
 */
export function pinFinder(sources: {
  readonly file: string;
  readonly named: string;
  readonly bytes: Uint8Array | null;
}): (finding: Finding) => FindingPlace | null {
  const entries = entriesOf(sources);
  const copyOf = (path: string): string => posix.join(posix.dirname(sources.named.replaceAll('\\', '/')), path);
  return (finding) => {
    if (finding.rule !== 'S1' && finding.rule !== 'S2') return null;
    const named = entries.filter(({ path }) => finding.message.includes(JSON.stringify(copyOf(path))));
    const [only, ...others] = named.length > 0 ? named : entries;
    if (only === undefined || others.length > 0) return null;
    return { file: sources.file, line: only.place.line, column: only.place.column };
  };
}

function entriesOf({ file, bytes }: { readonly file: string; readonly bytes: Uint8Array | null }) {
  if (bytes === null) return [];
  try {
    return parseSourcesConfiguration(bytes, { file }).entries;
  } catch (error) {
    // The configuration was refused elsewhere already, with its reason.
    if (error instanceof GateError) return [];
    throw error;
  }
}
