import { createHash } from 'node:crypto';
import type { JsonNode } from '../json/index.js';
import type { CommitFiles, GitHubApi, TreeEntry } from './ports.js';

/** Which repository of GitHub's, in the form that its routes take. */
export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

/** The files of a commit by the API, for a checkout that does not hold the commit; rejects with what GitHub answered. */
export function apiFiles(
  api: GitHubApi,
  given: { readonly repository: RepositoryName; readonly commit: string },
): CommitFiles {
  const { repository, commit } = given;
  const call = async (route: string, parameters: Readonly<Record<string, unknown>>): Promise<JsonNode> => {
    const result = await api.call({
      route: `GET /repos/{owner}/{repo}${route}`,
      parameters: { ...repository, ...parameters },
    });
    if (result.kind === 'ok') return result.data;
    throw new Error(result.reason);
  };
  const trees = new Map<string, Promise<readonly Entry[]>>();
  const tree = (sha: string): Promise<readonly Entry[]> => {
    const known = trees.get(sha) ?? call('/git/trees/{tree_sha}', { tree_sha: sha }).then(entriesOf);
    trees.set(sha, known);
    return known;
  };
  const root = async (): Promise<string> => {
    const found = (await call('/git/commits/{commit_sha}', { commit_sha: commit })).get('tree')?.get('sha')?.string();
    if (found === undefined) throw new Error(`GitHub names no tree for ${commit}`);
    return found;
  };
  let rootTree: Promise<string> | undefined;
  return {
    commit,
    async list(paths) {
      rootTree ??= root();
      const top: Entry = { path: '', mode: '040000', sha: await rootTree };
      const found: TreeEntry[] = [];
      for (const path of paths) {
        const at = await descend(top, { path, tree });
        if (at !== null) found.push(...(await filesBelow(at, tree)));
      }
      return found;
    },
    async linkAbove(path) {
      rootTree ??= root();
      const segments = segmentsOf(path);
      for (let many = 1; many < segments.length; many += 1) {
        const above = segments.slice(0, many).join('/');
        const at = await descend({ path: '', mode: FOLDER, sha: await rootTree }, { path: above, tree });
        if (at === null) return null;
        if (isLink(at)) return above;
      }
      return null;
    },
    async read(sha) {
      const blob = await call('/git/blobs/{file_sha}', { file_sha: sha });
      const content = blob.get('content')?.string();
      const bytes = Buffer.from(content ?? '', 'base64');
      if (content === undefined || (blobSha(bytes) !== sha && sha.length === 40))
        throw new Error(`GitHub gave another file for ${sha}`);
      return bytes;
    },
  };
}

/** The name that git has for a file's bytes (SHA-1 repositories). */
export function blobSha(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

type Entry = TreeEntry;
type ReadTree = (sha: string) => Promise<readonly Entry[]>;
const FOLDER = '040000';

function entriesOf(data: JsonNode): readonly Entry[] {
  // One folder of a tree is never cut in practice; if it is, what is missing must not count as absent.
  if (data.get('truncated')?.boolean() === true) throw new Error('GitHub cut the list of a folder');
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

const segmentsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '' && part !== '.');

/** What stands in a tree and holds, or leads to, files that the tree does not list. */
export function isLink({ mode }: Pick<TreeEntry, 'mode'>): boolean {
  return mode === '120000' || mode === '160000';
}

async function descend(
  top: Entry,
  { path, tree }: { readonly path: string; readonly tree: ReadTree },
): Promise<Entry | null> {
  let at = top;
  for (const segment of segmentsOf(path)) {
    if (at.mode !== FOLDER) return null;
    const next = (await tree(at.sha)).find((entry) => entry.path === segment);
    if (next === undefined) return null;
    at = { ...next, path: at.path === '' ? segment : `${at.path}/${segment}` };
  }
  return at;
}

async function filesBelow(at: Entry, tree: ReadTree): Promise<readonly TreeEntry[]> {
  const found: TreeEntry[] = [];
  const waiting = [at];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.mode !== FOLDER) {
      found.push(next);
      continue;
    }
    const { path } = next;
    for (const entry of await tree(next.sha))
      waiting.push({ ...entry, path: path === '' ? entry.path : `${path}/${entry.path}` });
  }
  return found;
}
