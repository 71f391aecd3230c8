import { type Finding, type FindingPlace, GateError, parseSourcesConfiguration } from '../core/index.js';

/**
 * Finds the pin of a finding's source: the entry of sources.yaml whose snapshot the finding's evidence names, or the only one there is.
 * `file` is the path from the root; a sources file that is missing or refused has no pins.
 */
export function pinFinder(
  sources: { readonly file: string; readonly bytes: Uint8Array | null },
  snapshotOf: (finding: Finding) => string | null,
): (finding: Finding) => FindingPlace | null {
  const entries = entriesOf(sources);
  return (finding) => {
    if (finding.rule !== 'S1' && finding.rule !== 'S2') return null;
    const snapshot = snapshotOf(finding);
    const pinned = snapshot === null ? [] : entries.filter(({ snapshotRefs }) => snapshotRefs.includes(snapshot));
    const [only, ...others] = pinned.length > 0 ? pinned : entries;
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
