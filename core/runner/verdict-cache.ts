import { type AtomicFile, openAtomicFile } from '../io/atomic-file.js';
import { fileLines, realPathOf } from '../io/file-lines.js';
import { isInCheckout } from '../io/repository.js';
import { utf8Text } from '../json/index.js';
import { CACHE_HEADER, CacheWalk, cacheSeal } from '../reverify/cache.js';
import type { Examined, Task } from '../reverify/ports.js';

/** Where verdicts are kept between calls. */
export interface CacheSettings {
  readonly path: string;
  /** The folder that `path` is relative to. */
  readonly folder: string;
  /** A secret of the operator's that seals every line; null without one. */
  readonly key: string | null;
  /** Whether this call judges all of its shard: one that judges less must not forget the rest. */
  readonly keeps: boolean;
}

/** A cache that is read and written while an archive is walked. */
export interface VerdictCache {
  /** Why the cache is not read, for the user; null when it is. */
  readonly notice: string | null;
  /** Adds to a task what is remembered of its run; asked in the order of the runs. */
  taskOf(task: Task): Promise<Task>;
  /** Keeps what an examination left; told in the order of the runs. */
  keep(examined: Examined): void;
  /** Puts the new cache in place of the old one; says how many lines of the old one were not to be trusted. */
  commit(): number;
  discard(): void;
}

/** Opens a cache; one that does not exist yet is empty. Throws GateError `output-unwritable`, or what reading a file throws. */
export async function openVerdictCache(settings: CacheSettings): Promise<VerdictCache> {
  const seal = cacheSeal(settings.key);
  const notice = refusalOf(settings);
  const walk = notice === null ? new CacheWalk(linesOf(settings.path), seal) : null;
  const file = settings.keeps ? openAtomicFile(settings) : null;
  file?.write(`${CACHE_HEADER}\n`);
  return {
    notice,
    async taskOf(task) {
      const remembered = await walk?.take(task.name);
      return remembered === undefined ? task : { ...task, remembered };
    },
    keep: ({ memory }) => writeLine(file, memory === null ? null : seal.seal(memory)),
    commit() {
      file?.commit();
      return walk?.refused ?? 0;
    },
    discard: () => file?.discard(),
  };
}

/** A verdict is taken from a cache unseen, so that it must be one that no pull request could have written. */
function refusalOf({ path, key }: CacheSettings): string | null {
  if (key !== null || !isInCheckout(path)) return null;
  return `the cache ${path} lies in a checkout, where a pull request could have written it, and is not read; keep it elsewhere, or name a key with --cache-key`;
}

/** The lines below the header; none when there is no file, or one of another form. */
async function* linesOf(path: string): AsyncGenerator<string> {
  if (realPathOf(path) === null) return;
  let first = true;
  for await (const { bytes } of fileLines(path)) {
    const text = bytes === null ? '' : utf8Text(bytes);
    if (first && text !== CACHE_HEADER) return;
    if (!first) yield text;
    first = false;
  }
}

function writeLine(file: AtomicFile | null, line: string | null): void {
  if (line !== null) file?.write(`${line}\n`);
}
