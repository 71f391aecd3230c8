import { type GateReport, inOrder, pinFinder, placeFindings } from '../../core/index.js';
import type { HeldArchive } from '../evidence/evidence.js';
import type { Binding } from './binding.js';
import type { Target } from './target.js';

/** What findings are placed by. */
export interface PlacingParts {
  readonly target: Target;
  readonly binding: Binding;
  readonly archives: readonly HeldArchive[];
}

/** Puts findings on the lines of the head commit where they are to be mended: a committed run, a fixture, a pin. */
export async function placeReport(
  report: GateReport,
  { target, binding, archives }: PlacingParts,
): Promise<GateReport> {
  const { head } = target;
  const { pins } = binding;
  const wanted = new Set(
    report.findings.flatMap(({ place, fixture }) => [place.file, ...(fixture === null ? [] : [fixture])]),
  );
  // The whole tree is known already; asking for each path would be a request for each folder.
  const entries = await head.list(['.']);
  const blobs = new Map(entries.map(({ path, sha }) => [path, sha]));
  const fixtures = new Set(report.findings.flatMap(({ fixture }) => fixture ?? []));
  const registrations = report.findings.filter(({ rule }) => rule === 'registration-loosened');
  const held = new Map<string, Uint8Array>();
  for (const { files } of archives)
    for (const [path, bytes] of files) if (bytes !== null && wanted.has(path)) held.set(path, bytes);
  if (pins.bytes !== null) held.set(pins.file, pins.bytes);
  // A fixture is shown as a whole, so that its own bytes need not be at hand.
  for (const file of [...fixtures, ...new Set(registrations.map(({ place }) => place.file))]) {
    const sha = blobs.get(file);
    if (sha !== undefined && !held.has(file)) held.set(file, await head.read(sha));
  }
  const findings = await placeFindings(report.findings, {
    prefix: '',
    read: (path) => held.get(path) ?? null,
    headBlobs: async () => blobs,
    pinOf: pinFinder({ file: pins.file, named: pins.file, bytes: pins.bytes }),
  });
  return { ...report, findings: inOrder(findings) };
}
