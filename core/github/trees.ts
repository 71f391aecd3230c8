import type { JsonNode } from '../json/index.js';
import type { RepositoryName } from './api-files.js';
import type { GitHubApi, TreeEntry } from './ports.js';

/** As git writes the mode of a folder. */
export const FOLDER_MODE = '040000';

/** The trees of a repository by the API; the same tree is asked for once. Rejects with what GitHub answered. */
export class Trees {
  readonly #api: GitHubApi;
  readonly #repository: RepositoryName;
  readonly #children = new Map<string, Promise<readonly TreeEntry[]>>();
  readonly #below = new Map<string, Promise<readonly TreeEntry[] | null>>();
  readonly #sizes = new Map<string, number>();

  constructor(api: GitHubApi, repository: RepositoryName) {
    this.#api = api;
    this.#repository = repository;
  }

  /** The tree of a commit. */
  async rootOf(commit: string): Promise<string> {
    const found = (await this.#get('/git/commits/{commit_sha}', { commit_sha: commit }))
      .get('tree')
      ?.get('sha')
      ?.string();
    if (found === undefined) throw new Error(`GitHub names no tree for ${commit}`);
    return found;
  }

  /** What stands directly in a folder, by the names in it. */
  children(tree: string): Promise<readonly TreeEntry[]> {
    return once(this.#children, tree, async () => {
      const { entries, isCut } = await this.#list(tree, false);
      // One folder is never cut in practice; if it is, what is missing must not count as absent.
      if (isCut) throw new Error('GitHub cut the list of a folder');
      return entries;
    });
  }

  /** Every file below a folder, by its path from there; null when GitHub cuts a list of so many. */
  whole(tree: string): Promise<readonly TreeEntry[] | null> {
    return once(this.#below, tree, async () => {
      const { entries, isCut } = await this.#list(tree, true);
      return isCut ? null : entries.filter(({ mode }) => mode !== FOLDER_MODE);
    });
  }

  /** The same however many there are. */
  async below(tree: string): Promise<readonly TreeEntry[]> {
    const found: TreeEntry[] = [];
    const waiting = [{ path: '', sha: tree }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const at = (entry: TreeEntry): TreeEntry => ({ ...entry, path: joined(next?.path ?? '', entry.path) });
      const whole = await this.whole(next.sha);
      for (const entry of whole ?? (await this.children(next.sha))) {
        if (entry.mode === FOLDER_MODE) waiting.push(at(entry));
        else found.push(at(entry));
      }
    }
    return found;
  }

  /** Bytes of a file that a tree has listed; null for one that none has, or without its size. */
  sizeOf(file: string): number | null {
    return this.#sizes.get(file) ?? null;
  }

  async #list(
    tree: string,
    recursive: boolean,
  ): Promise<{ readonly entries: readonly TreeEntry[]; readonly isCut: boolean }> {
    const data = await this.#get('/git/trees/{tree_sha}', { tree_sha: tree, ...(recursive ? { recursive: '1' } : {}) });
    for (const item of data.get('tree')?.items() ?? []) {
      const [sha, size] = [item.get('sha')?.string(), item.get('size')?.integer()];
      if (sha !== undefined && size !== undefined) this.#sizes.set(sha, size);
    }
    return { entries: entriesOf(data), isCut: data.get('truncated')?.boolean() === true };
  }

  async #get(route: string, parameters: Readonly<Record<string, unknown>>): Promise<JsonNode> {
    const result = await this.#api.call({
      route: `GET /repos/{owner}/{repo}${route}`,
      parameters: { ...this.#repository, ...parameters },
    });
    if (result.kind === 'ok') return result.data;
    throw new Error(result.reason);
  }
}

/** A file that differs between two trees; null where a side does not have it. */
export interface TreeChange {
  readonly path: string;
  readonly before: TreeEntry | null;
  readonly after: TreeEntry | null;
}

/** The files that differ between two trees, however large: folders of one name in git's books are not looked into. */
export async function changesBetween(
  trees: Trees,
  sides: { readonly before: string; readonly after: string },
): Promise<readonly TreeChange[]> {
  const changes: TreeChange[] = [];
  const waiting: Pair[] = [{ path: '', ...sides }];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const { path, before, after } = pair;
    if (before === after) continue;
    const [old, now] = await Promise.all([before, after].map((sha) => (sha === null ? [] : trees.whole(sha))));
    const cut = old === null || now === null || old === undefined || now === undefined;
    const left = cut ? await childrenOf(trees, before) : old;
    const right = cut ? await childrenOf(trees, after) : now;
    compare({ path, left, right }, { changes, waiting });
  }
  return changes;
}

interface Pair {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

function childrenOf(trees: Trees, sha: string | null): Promise<readonly TreeEntry[]> | readonly TreeEntry[] {
  return sha === null ? [] : trees.children(sha);
}

function compare(
  {
    path,
    left,
    right,
  }: { readonly path: string; readonly left: readonly TreeEntry[]; readonly right: readonly TreeEntry[] },
  { changes, waiting }: { readonly changes: TreeChange[]; readonly waiting: Pair[] },
): void {
  const [before, after] = [byPath(left), byPath(right)];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(name), after.get(name)];
    if (old?.sha === now?.sha && old?.mode === now?.mode) continue;
    const at = joined(path, name);
    const [oldTree, nowTree] = [old, now].map((one) => (one?.mode === FOLDER_MODE ? one.sha : null));
    if (oldTree !== null || nowTree !== null)
      waiting.push({ path: at, before: oldTree ?? null, after: nowTree ?? null });
    const [oldFile, nowFile] = [old, now].map((one) =>
      one === undefined || one.mode === FOLDER_MODE ? null : { ...one, path: at },
    );
    if (oldFile || nowFile) changes.push({ path: at, before: oldFile ?? null, after: nowFile ?? null });
  }
}

function byPath(entries: readonly TreeEntry[]): ReadonlyMap<string, TreeEntry> {
  return new Map(entries.map((entry) => [entry.path, entry]));
}

function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** A failure is not kept: what was asked for in vain may be there the next time. */
function once<Value>(known: Map<string, Promise<Value>>, key: string, ask: () => Promise<Value>): Promise<Value> {
  const found = known.get(key);
  if (found !== undefined) return found;
  const asked = ask();
  known.set(key, asked);
  asked.catch(() => known.delete(key));
  return asked;
}

function entriesOf(data: JsonNode): readonly TreeEntry[] {
  const tree = data.get('tree');
  // An answer that is no tree must not look like an empty one, in which nothing binds.
  if (tree?.kind !== 'array') throw new Error('GitHub answered with something else than a tree');
  return tree.items().map((item) => {
    const [path, mode, sha] = ['path', 'mode', 'sha'].map((key) => item.get(key)?.string());
    if (path === undefined || mode === undefined || sha === undefined)
      throw new Error('GitHub lists a tree as nobody expected');
    return { path, mode, sha };
  });
}
