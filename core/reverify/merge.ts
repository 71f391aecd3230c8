import { byCodePoint, parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';
import type { IndexLine } from '../store/index.js';
import { shardOf } from './select.js';
import { type ShardMeta, sameCall } from './shard-meta.js';
import { readStrictly, type StrictRow } from './strict-verdict.js';

/** The report of one shard with its measure, and what its file really holds. */
export interface ShardFile {
  readonly file: string;
  readonly meta: ShardMeta;
  readonly sha256: string;
  readonly lines: () => AsyncIterable<IndexLine>;
}

/**
 * Refuses shards that are missing, doubled, altered, or of another archive than the others: GateError `shard-refused`.
 * Half a report must not look like a whole one.
 */
export function refuseShards(shards: readonly ShardFile[]): void {
  const [first] = shards;
  if (first === undefined) throw refusal('', 'no shard is given');
  const seen = new Map<number, string>();
  for (const { file, meta, sha256 } of shards) {
    const { index, of } = meta.shard;
    if (sha256 !== meta.sha256) throw refusal(file, 'the report is not the one that its meta.json measured');
    if (of !== first.meta.shard.of)
      throw refusal(file, `it is one of ${of} shards, others are of ${first.meta.shard.of}`);
    if (JSON.stringify([meta.index, meta.runs]) !== JSON.stringify([first.meta.index, first.meta.runs]))
      throw refusal(file, `it is of another archive, or of another moment of it, than ${first.file}`);
    if (!sameCall(meta.call, first.meta.call))
      throw refusal(file, `it was judged by another version, or with other options or sources, than ${first.file}`);
    const twin = seen.get(index);
    if (twin !== undefined) throw refusal(file, `shard ${index} is given twice, first as ${twin}`);
    seen.set(index, file);
  }
  const missing = Array.from({ length: first.meta.shard.of }, (_, at) => at + 1).filter((index) => !seen.has(index));
  if (missing.length > 0) throw refusal(first.file, `shards are missing: ${missing.slice(0, 20).join(', ')}`);
  const count = shards.reduce((sum, { meta }) => sum + meta.count, 0);
  if (count !== first.meta.runs) throw refusal(first.file, `the shards hold ${count} of ${first.meta.runs} runs`);
}

/** The rows of all shards in folder-name order; throws `shard-refused` for a row that is not its shard's. */
export async function* mergeShards(shards: readonly ShardFile[]): AsyncGenerator<StrictRow> {
  const heads: Head[] = [];
  for (const shard of shards) {
    const rows = rowsOf(shard);
    const first = await rows.next();
    if (!first.done) heads.push({ rows, row: first.value });
  }
  for (let least = leastOf(heads); least !== undefined; least = leastOf(heads)) {
    yield least.row;
    const next = await least.rows.next();
    if (next.done) heads.splice(heads.indexOf(least), 1);
    else least.row = next.value;
  }
}

interface Head {
  readonly rows: AsyncGenerator<StrictRow>;
  row: StrictRow;
}

function leastOf(heads: readonly Head[]): Head | undefined {
  let least: Head | undefined;
  for (const head of heads) if (least === undefined || byCodePoint(nameOf(head), nameOf(least)) < 0) least = head;
  return least;
}

const nameOf = ({ row }: Head): string => row.verdict.run;

async function* rowsOf({ file, meta, lines }: ShardFile): AsyncGenerator<StrictRow> {
  let before: string | undefined;
  let count = 0;
  for await (const { line, bytes } of lines()) {
    const row = bytes === null ? undefined : readStrictly(parseJson(bytes, { file, firstLine: line }), bytes);
    if (row === undefined) throw refusal(file, `line ${line} is no verdict on a run that this version wrote`);
    const { run } = row.verdict;
    if (shardOf(run, meta.shard.of) !== meta.shard.index)
      throw refusal(file, `line ${line} is about a run of another shard`);
    if (before !== undefined && byCodePoint(before, run) >= 0)
      throw refusal(file, `line ${line} is out of order, or about a run for the second time`);
    before = run;
    count++;
    yield row;
  }
  if (count !== meta.count) throw refusal(file, `it holds ${count} rows, its meta.json says ${meta.count}`);
}

function refusal(file: string, message: string): GateError {
  return gateError('shard-refused', {
    blame: 'caller',
    message,
    remedy: 'give the reports of all shards of one call, each with its meta.json beside it',
    ...(file === '' ? {} : { place: { file } }),
  });
}
