import { archiveFiles } from '../io/archive-files.js';
import { GateError } from '../model/errors.js';
import { openArchive } from '../store/index.js';
import { readSpans, type Span } from '../trace/index.js';

/** The spans of stored runs by their ids. A run that is missing or cannot be read has none: its trace is an illustration. */
export async function readTraces(
  folder: string,
  runs: readonly string[],
): Promise<ReadonlyMap<string, readonly Span[]>> {
  const archive = openArchive(archiveFiles(), { folder });
  const traces = new Map<string, readonly Span[]>();
  for (const run of runs) {
    try {
      const bytes = await archive.readFile(run, 'spans');
      if (bytes !== undefined) traces.set(run, readSpans(bytes, { file: `${run}/spans.jsonl` }));
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
    }
  }
  return traces;
}
