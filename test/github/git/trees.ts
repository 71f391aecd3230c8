import { type ObjectStore, TREE_MODE, type TreeEntry } from './objects.js';

/** What a test may put at a path: text, bytes, a link, a program, a sub-module, or nothing (`null` removes the file). */
export type FileContent =
  | string
  | Uint8Array
  | { readonly symlink: string }
  | { readonly executable: string }
  | { readonly submodule: string }
  | null;

/** A file of a tree with its whole path. */
export interface FileEntry {
  readonly mode: string;
  readonly sha: string;
}

/** All files below a tree by their whole path. */
export type FlatTree = ReadonlyMap<string, FileEntry>;

const flattened = new WeakMap<ObjectStore, Map<string, FlatTree>>();

/** Lists all files below a tree; repeated calls for one tree cost nothing. */
export function flatten(store: ObjectStore, tree: string): FlatTree {
  const cache = flattened.get(store) ?? new Map<string, FlatTree>();
  flattened.set(store, cache);
  const known = cache.get(tree);
  if (known !== undefined) return known;
  const files = new Map<string, FileEntry>();
  const pending: { readonly prefix: string; readonly sha: string }[] = [{ prefix: '', sha: tree }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const entry of store.tree(next.sha) ?? []) {
      const path = next.prefix + entry.name;
      if (entry.mode === TREE_MODE) pending.push({ prefix: `${path}/`, sha: entry.sha });
      else files.set(path, { mode: entry.mode, sha: entry.sha });
    }
  cache.set(tree, files);
  return files;
}

function entryOf(store: ObjectStore, content: Exclude<FileContent, null>): FileEntry {
  const blob = (value: string | Uint8Array) => store.put('blob', Buffer.from(value as string));
  if (typeof content === 'string' || content instanceof Uint8Array) return { mode: '100644', sha: blob(content) };
  if ('symlink' in content) return { mode: '120000', sha: blob(content.symlink) };
  if ('executable' in content) return { mode: '100755', sha: blob(content.executable) };
  return { mode: '160000', sha: content.submodule };
}

/** Writes the tree that a tree becomes once the given files are changed. */
export function change(
  store: ObjectStore,
  { base, files }: { readonly base: string | undefined; readonly files: Readonly<Record<string, FileContent>> },
): string {
  const all = new Map(base === undefined ? [] : flatten(store, base));
  for (const [path, content] of Object.entries(files)) {
    if (content === null) all.delete(path);
    else all.set(path, entryOf(store, content));
  }
  return write(store, all);
}

type Folder = { readonly folders: Map<string, Folder>; readonly files: TreeEntry[] };

/** Writes all trees that the files need and returns the root's name. */
export function write(store: ObjectStore, files: FlatTree): string {
  const root: Folder = { folders: new Map(), files: [] };
  for (const [path, entry] of files) {
    const steps = path.split('/');
    const name = steps.pop() ?? '';
    let folder = root;
    for (const step of steps) {
      const inner = folder.folders.get(step) ?? { folders: new Map(), files: [] };
      folder.folders.set(step, inner);
      folder = inner;
    }
    folder.files.push({ ...entry, name });
  }
  return writeFolder(store, root);
}

function writeFolder(store: ObjectStore, folder: Folder): string {
  const folders = [...folder.folders].map(([name, inner]) => ({
    mode: TREE_MODE,
    name,
    sha: writeFolder(store, inner),
  }));
  return store.putTree([...folders, ...folder.files]);
}

/** One changed file between two trees, as GitHub names the change. */
export interface FileChange {
  readonly path: string;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed';
  readonly previous?: string;
  readonly before?: FileEntry;
  readonly after?: FileEntry;
}

/** Compares two trees; a file that went away and came back elsewhere unchanged counts as renamed. */
export function compare(before: FlatTree, after: FlatTree): FileChange[] {
  const removed = new Map<string, string[]>();
  const changes: FileChange[] = [];
  for (const [path, entry] of before)
    if (!after.has(path)) removed.set(entry.sha, [...(removed.get(entry.sha) ?? []), path]);
  for (const [path, entry] of after) {
    const old = before.get(path);
    if (old === undefined) changes.push(added({ path, entry, removed }));
    else if (old.sha !== entry.sha || old.mode !== entry.mode)
      changes.push({ path, status: 'modified', before: old, after: entry });
  }
  for (const [sha, paths] of removed)
    for (const path of paths) {
      const old = before.get(path);
      changes.push({ path, status: 'removed', before: old ?? { mode: '100644', sha } });
    }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function added(one: { path: string; entry: FileEntry; removed: Map<string, string[]> }): FileChange {
  const previous = one.removed.get(one.entry.sha)?.shift();
  if (previous === undefined) return { path: one.path, status: 'added', after: one.entry };
  return { path: one.path, status: 'renamed', previous, before: one.entry, after: one.entry };
}

/** The entry at a path of a tree, a folder included; the empty path is the tree itself. */
export function entryAt(store: ObjectStore, { tree, path }: { tree: string; path: string }): TreeEntry | undefined {
  let found: TreeEntry | undefined = { mode: TREE_MODE, name: '', sha: tree };
  for (const step of path.split('/').filter((part) => part !== '')) {
    if (found?.mode !== TREE_MODE) return undefined;
    found = store.tree(found.sha)?.find((entry) => entry.name === step);
  }
  return found;
}
