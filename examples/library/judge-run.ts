// Judges a stored run with the library: `node judge-run.js RUN [SOURCES]` prints each broken rule with its place; ends with 1 when there is one.
import { join } from 'node:path';
import {
  checkSources,
  diskSourceFiles,
  GateError,
  type GroundingReport,
  judge,
  loadSources,
  readEnvelope,
  readInputFile,
  readSpans,
  type SourcesReport,
} from 'grounding-gate';

/** Both verdicts on the run in `folder`, whose records are looked up in the copies that `sourcesPath` pins. */
function verdictsOn(folder: string, sourcesPath: string): readonly [GroundingReport, SourcesReport] {
  const spansFile = join(folder, 'spans.jsonl');
  const envelopeFile = join(folder, 'envelope.json');
  const spans = readSpans(readInputFile(spansFile), { file: spansFile });
  const envelope = readEnvelope(readInputFile(envelopeFile), { file: envelopeFile });
  const copies = loadSources(diskSourceFiles, { sourcesPath, named: true });
  try {
    return [judge(spans, envelope), checkSources(envelope, copies)];
  } finally {
    copies.close();
  }
}

try {
  const [folder = '.', sourcesPath = 'sources.yaml'] = process.argv.slice(2);
  const [grounding, sources] = verdictsOn(folder, sourcesPath);
  for (const { rule, message, place } of [...grounding.violations, ...sources.violations])
    console.log(`${rule} ${place === undefined ? folder : `${place.file}:${place.line}`} ${message}`);
  console.log(`${sources.verified} records verified, ${sources.unresolved.length} unresolved`);
  process.exitCode = grounding.passed && sources.passed ? 0 : 1;
} catch (error) {
  // What cannot be read is refused with a code, a place and a remedy; it never counts as passed.
  if (!(error instanceof GateError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 2;
}
