import { blobSha, fromRoot } from '../github/index.js';
import type { Finding, FindingPlace } from '../report/index.js';
import { fixtureFile } from './merge-fixtures.js';

/** What is known of files while findings are placed. */
export interface PlacingWorld {
  /** The working directory, relative to the repository's root. */
  readonly prefix: string;
  /** The bytes that were judged, by the path from the root; null when there is no such file. */
  read(path: string): Uint8Array | null;
  /** The names that git has for files of the head commit, by path; a path that is missing there is left out. */
  headBlobs(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Where sources.yaml pins the copy of a finding's source. */
  readonly pinOf: (finding: Finding) => FindingPlace | null;
}

/**
 * Puts every finding where a person would mend it (issue 3, point 3): on the line of a committed envelope, else on the fixture, else on the
 * pin in sources.yaml. Paths become relative to the repository's root. A file that is another one at head, or is missing there, gets no line,
 * since any line of it would point at something else.
 */
export async function placeFindings(findings: readonly Finding[], world: PlacingWorld): Promise<readonly Finding[]> {
  const wanted = findings.map((finding) => [finding, mendPlace(finding, world), world.pinOf(finding)] as const);
  const paths = new Set(wanted.flatMap(([, place, pin]) => [place.file, ...(pin === null ? [] : [pin.file])]));
  const same = await unchangedAtHead([...paths], world);
  return wanted.map(([finding, place, pin]) => {
    if (same.has(place.file)) return { ...finding, place };
    if (pin !== null && same.has(pin.file)) return { ...finding, place: pin };
    return { ...finding, place: { file: place.file, line: null, column: null } };
  });
}

function mendPlace({ place, rule, fixture }: Finding, { prefix }: PlacingWorld): FindingPlace {
  const named = fixtureFile(place.file);
  const path = fromRoot(prefix, named) ?? named;
  const file = rule === 'expectation-loosened' ? path.replace(/\.json$/, '.expect.yaml') : path;
  // A fixture is mended as a whole; it is its first line that stands for it.
  return fixture !== null && place.line === null ? { file, line: 1, column: null } : { ...place, file };
}

async function unchangedAtHead(paths: readonly string[], world: PlacingWorld): Promise<ReadonlySet<string>> {
  const blobs = await world.headBlobs(paths);
  const same = paths.filter((path) => {
    const bytes = blobs.has(path) ? world.read(path) : null;
    return bytes !== null && blobSha(bytes) === blobs.get(path);
  });
  return new Set(same);
}
