import { createHash } from 'node:crypto';

/** Git's kinds of objects that a repository here may hold. */
export type ObjectKind = 'blob' | 'tree' | 'commit';

/** One line of a tree; the mode is git's, six digits. */
export interface TreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly sha: string;
}

/** Who wrote a commit and when, in whole seconds. */
export interface Signature {
  readonly name: string;
  readonly email: string;
  readonly seconds: number;
}

/** A commit, read. */
export interface Commit {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
}

/** An object as git stores it. */
export interface RawObject {
  readonly kind: ObjectKind;
  readonly bytes: Buffer;
}

/** Git's directory mode; sub-modules are `160000`, symbolic links `120000`. */
export const TREE_MODE = '040000';

/** Git objects by their true SHA-1, so that a clone made with git has the same names. */
export class ObjectStore {
  readonly #objects = new Map<string, RawObject>();
  readonly #trees = new Map<string, readonly TreeEntry[]>();
  readonly #commits = new Map<string, Commit>();

  put(kind: ObjectKind, bytes: Buffer): string {
    const sha = createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest('hex');
    if (!this.#objects.has(sha)) this.#objects.set(sha, { kind, bytes });
    return sha;
  }

  get(sha: string): RawObject | undefined {
    return this.#objects.get(sha);
  }

  entries(): IterableIterator<[string, RawObject]> {
    return this.#objects.entries();
  }

  putTree(entries: readonly TreeEntry[]): string {
    const key = (entry: TreeEntry) => Buffer.from(entry.mode === TREE_MODE ? `${entry.name}/` : entry.name);
    const sorted = [...entries].sort((a, b) => Buffer.compare(key(a), key(b)));
    const lines = sorted.flatMap((entry) => [
      Buffer.from(`${entry.mode.replace(/^0/, '')} ${entry.name}\0`),
      Buffer.from(entry.sha, 'hex'),
    ]);
    return this.put('tree', Buffer.concat(lines));
  }

  tree(sha: string): readonly TreeEntry[] | undefined {
    const known = this.#trees.get(sha);
    if (known !== undefined) return known;
    const object = this.#objects.get(sha);
    if (object?.kind !== 'tree') return undefined;
    const entries = readTree(object.bytes);
    this.#trees.set(sha, entries);
    return entries;
  }

  putCommit(commit: Omit<Commit, 'sha'>): string {
    const sign = (who: Signature) => `${who.name} <${who.email}> ${who.seconds} +0000`;
    const lines = [
      `tree ${commit.tree}`,
      ...commit.parents.map((parent) => `parent ${parent}`),
      `author ${sign(commit.author)}`,
      `committer ${sign(commit.committer)}`,
    ];
    return this.put('commit', Buffer.from(`${lines.join('\n')}\n\n${commit.message}`));
  }

  commit(sha: string): Commit | undefined {
    const known = this.#commits.get(sha);
    if (known !== undefined) return known;
    const object = this.#objects.get(sha);
    if (object?.kind !== 'commit') return undefined;
    const commit = readCommit(sha, object.bytes.toString('utf8'));
    this.#commits.set(sha, commit);
    return commit;
  }

  blob(sha: string): Buffer | undefined {
    const object = this.#objects.get(sha);
    return object?.kind === 'blob' ? object.bytes : undefined;
  }
}

function readTree(bytes: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let from = 0; from < bytes.length; ) {
    const space = bytes.indexOf(0x20, from);
    const end = bytes.indexOf(0, space);
    const sha = bytes.subarray(end + 1, end + 21).toString('hex');
    const mode = bytes.toString('latin1', from, space).padStart(6, '0');
    entries.push({ mode, name: bytes.toString('utf8', space + 1, end), sha });
    from = end + 21;
  }
  return entries;
}

function readCommit(sha: string, text: string): Commit {
  const split = text.indexOf('\n\n');
  const lines = text.slice(0, split).split('\n');
  const values = (key: string) =>
    lines.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  return {
    sha,
    tree: values('tree')[0] ?? '',
    parents: values('parent'),
    author: readSignature(values('author')[0] ?? ''),
    committer: readSignature(values('committer')[0] ?? ''),
    message: text.slice(split + 2),
  };
}

function readSignature(text: string): Signature {
  const [, name = '', email = '', seconds = '0'] = /^(.*) <(.*)> (\d+)/.exec(text) ?? [];
  return { name, email, seconds: Number(seconds) };
}
