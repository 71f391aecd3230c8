import { fileLines } from '../io/file-lines.js';
import { readInputFile } from '../io/input-file.js';
import { digestOfFile } from '../io/sealed-files.js';
import { parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import type { ShardFile } from '../reverify/merge.js';
import { metaPath, readMeta } from '../reverify/shard-meta.js';

/** Opens the reports of shards with their measures; throws GateError `shard-refused`, or what reading a file throws. */
export function openShards(files: readonly string[]): readonly ShardFile[] {
  return files.map((file) => {
    const path = metaPath(file);
    const meta = readMeta(parseJson(readInputFile(path), { file: path }));
    const found = digestOfFile(file);
    if (meta === undefined || found === undefined)
      throw gateError('shard-refused', {
        blame: 'caller',
        message: meta === undefined ? 'this is no measure of a shard' : 'the report is missing, or is no regular file',
        remedy: 'give reports that `grounding reverify --shard I/N --format json --output F` wrote',
        place: { file: meta === undefined ? path : file },
      });
    return { file, meta, sha256: found.sha256, lines: () => fileLines(file) };
  });
}
