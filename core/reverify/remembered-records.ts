import type { JsonNode } from '../json/index.js';
import type { SourceCopies, SourceCopy } from '../sources/index.js';

/** How many records are kept, and how large one may be: some megabytes a thread. */
const MOST_RECORDS = 2000;
const LARGEST_BYTES = 8 * 1024;

/**
 * The same copies, with the records that were found last kept at hand: the runs of an archive cite the same few records
 * over and over, and each would be read, hashed against its pin and parsed again.
 */
export function rememberRecords(copies: SourceCopies): SourceCopies {
  const known = new Map<SourceCopy, SourceCopy>();
  return {
    ...copies,
    copyFor(ref) {
      const copy = copies.copyFor(ref);
      if (copy === undefined) return undefined;
      const found = known.get(copy) ?? remembering(copy);
      known.set(copy, found);
      return found;
    },
  };
}

function remembering(copy: SourceCopy): SourceCopy {
  const records = new Map<string, JsonNode>();
  return {
    label: copy.label,
    records: copy.records,
    pin: copy.pin,
    find(id) {
      const known = records.get(id);
      if (known !== undefined) return known;
      const record = copy.find(id);
      // Starting over is as good as any order here, and costs nothing while the records fit.
      if (records.size >= MOST_RECORDS) records.clear();
      if (record !== undefined && record.end - record.start <= LARGEST_BYTES) records.set(id, record);
      return record;
    },
  };
}
