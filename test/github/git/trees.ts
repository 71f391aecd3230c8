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

/** Files to put, and files to take away (`null`), by their whole path. */
export type Edits = ReadonlyMap<string, FileEntry | null>;

function entryOf(store: ObjectStore, content: Exclude<FileContent, null>): FileEntry {
  const blob = (value: string | Uint8Array) => store.put('blob', Buffer.from(value as string));
  if (typeof content === 'string' || content instanceof Uint8Array) return { mode: '100644', sha: blob(content) };
  if ('symlink' in content) return { mode: '120000', sha: blob(content.symlink) };
  if ('executable' in content) return { mode: '100755', sha: blob(content.executable) };
  return { mode: '160000', sha: content.submodule };
}

/** Reads what a test wants changed into edits; the contents become blobs. */
export function editsOf(store: ObjectStore, files: Readonly<Record<string, FileContent>>): Edits {
  const entries = Object.entries(files);
  return new Map(entries.map(([path, content]) => [path, content === null ? null : entryOf(store, content)]));
}

type Folder = { readonly folders: Map<string, Folder>; readonly files: Map<string, FileEntry | null> };

const emptyFolder = (): Folder => ({ folders: new Map(), files: new Map() });

/** Writes the tree that a tree becomes by the edits; folders that no edit touches stay as they are. */
export function edit(store: ObjectStore, { base, edits }: { base: string | undefined; edits: Edits }): string {
  const root = emptyFolder();
  for (const [path, entry] of edits) {
    const steps = path.split('/');
    const name = steps.pop() ?? '';
    let folder = root;
    for (const step of steps) {
      const inner = folder.folders.get(step) ?? emptyFolder();
      folder.folders.set(step, inner);
      folder = inner;
    }
    folder.files.set(name, entry);
  }
  return editFolder(store, { base, folder: root }) ?? store.putTree([]);
}

/** The folder's new tree, or nothing when no file is left in it. */
function editFolder(
  store: ObjectStore,
  { base, folder }: { base: string | undefined; folder: Folder },
): string | undefined {
  const old = base === undefined ? [] : (store.tree(base) ?? []);
  const entries = new Map<string, TreeEntry>(old.map((entry) => [entry.name, entry]));
  for (const [name, inner] of folder.folders) {
    const known = entries.get(name);
    const sha = editFolder(store, { base: known?.mode === TREE_MODE ? known.sha : undefined, folder: inner });
    if (sha === undefined) entries.delete(name);
    else entries.set(name, { mode: TREE_MODE, name, sha });
  }
  for (const [name, entry] of folder.files) {
    if (entry === null) entries.delete(name);
    else entries.set(name, { ...entry, name });
  }
  return entries.size === 0 ? undefined : store.putTree([...entries.values()]);
}

/** One changed file between two trees, as GitHub names the change. */
export interface FileChange {
  readonly path: string;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed';
  readonly previous?: string;
  readonly before?: FileEntry;
  readonly after?: FileEntry;
}

type Pair = { readonly path: string; readonly before: FileEntry | undefined; readonly after: FileEntry | undefined };

/** Lists the files that differ between two trees; a folder that is the same on both sides is not looked into. */
function differing(store: ObjectStore, { before, after }: Sides): Pair[] {
  const pairs: Pair[] = [];
  const pending: (Sides & { readonly prefix: string })[] = [{ before, after, prefix: '' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const old = named(store, next.before);
    const now = named(store, next.after);
    for (const name of new Set([...old.keys(), ...now.keys()])) {
      const [was, is] = [old.get(name), now.get(name)];
      if (was?.sha === is?.sha && was?.mode === is?.mode) continue;
      const path = next.prefix + name;
      const [wasFolder, isFolder] = [was?.mode === TREE_MODE, is?.mode === TREE_MODE];
      if (wasFolder || isFolder)
        pending.push({
          before: wasFolder ? was?.sha : undefined,
          after: isFolder ? is?.sha : undefined,
          prefix: `${path}/`,
        });
      const [from, to] = [wasFolder ? undefined : was, isFolder ? undefined : is];
      if (from !== undefined || to !== undefined) pairs.push({ path, before: from, after: to });
    }
  }
  return pairs.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Two trees to compare; a side that is not there is empty. */
export type Sides = { readonly before: string | undefined; readonly after: string | undefined };

const named = (store: ObjectStore, tree: string | undefined) =>
  new Map((tree === undefined ? [] : (store.tree(tree) ?? [])).map((entry) => [entry.name, entry]));

/** Compares two trees; a file that went away and came back elsewhere unchanged counts as renamed. */
export function compare(store: ObjectStore, sides: Sides): FileChange[] {
  const pairs = differing(store, sides);
  const gone = new Map<string, string[]>();
  for (const { path, before, after } of pairs)
    if (before !== undefined && after === undefined) gone.set(before.sha, [...(gone.get(before.sha) ?? []), path]);
  const renamed = new Set<string>();
  const changes = pairs.map(({ path, before, after }): FileChange => {
    if (before === undefined && after !== undefined) {
      const previous = gone.get(after.sha)?.shift();
      if (previous === undefined) return { path, status: 'added', after };
      renamed.add(previous);
      return { path, status: 'renamed', previous, before: after, after };
    }
    if (before !== undefined && after !== undefined) return { path, status: 'modified', before, after };
    return { path, status: 'removed', ...(before === undefined ? {} : { before }) };
  });
  return changes.filter((change) => change.status !== 'removed' || !renamed.has(change.path));
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
