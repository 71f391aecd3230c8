import { sep } from 'node:path';
import { watch } from 'chokidar';

/** Changes closer together than this are one: an editor writes, renames and touches for one save. */
const QUIET_MS = 200;

/** What is watched; paths are absolute. */
export interface WatchOptions {
  readonly paths: readonly string[];
  /** Left out with all that is below. */
  readonly ignored: readonly string[];
}

/** Watches files until it is closed. */
export interface FileWatch {
  /** From now on these are watched as well. */
  add(paths: readonly string[]): void;
  /** The paths that changed since the last call, once nothing more does; null after `close`. */
  next(): Promise<ReadonlySet<string> | null>;
  close(): Promise<void>;
}

/** Names that no agent is made of, and that change without anybody's doing. */
const NEVER = new Set(['node_modules', '__pycache__']);

/** Starts to watch; resolves when everything was seen once, so that no change is lost from then on. */
export async function watchFiles({ paths, ignored }: WatchOptions): Promise<FileWatch> {
  const roots = new Set(paths);
  const isIgnored = (path: string): boolean => {
    if (roots.has(path)) return false;
    const name = path.slice(path.lastIndexOf(sep) + 1);
    return NEVER.has(name) || name.startsWith('.') || ignored.some((one) => path === one || path.startsWith(one + sep));
  };
  const watcher = watch([...paths], { ignoreInitial: true, ignored: isIgnored, ignorePermissionErrors: true });
  let changed = new Set<string>();
  let closed = false;
  let waiting: ((paths: ReadonlySet<string> | null) => void) | null = null;
  let timer: NodeJS.Timeout | undefined;
  const give = (): void => {
    if (waiting === null || (changed.size === 0 && !closed)) return;
    const take = waiting;
    waiting = null;
    const batch = changed;
    changed = new Set();
    take(closed ? null : batch);
  };
  const settle = (): void => {
    clearTimeout(timer);
    timer = setTimeout(give, QUIET_MS);
  };
  watcher.on('all', (_event, path) => {
    changed.add(path);
    settle();
  });
  // A folder that went while it was looked at; what is left is watched on.
  watcher.on('error', () => undefined);
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return {
    add: (more) => void watcher.add([...more]),
    next: () =>
      new Promise((resolve) => {
        waiting = resolve;
        if (closed) give();
        else if (changed.size > 0) settle();
      }),
    async close() {
      closed = true;
      clearTimeout(timer);
      give();
      await watcher.close();
    },
  };
}
