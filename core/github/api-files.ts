import { createHash } from 'node:crypto';
import type { CommitFiles, GitHubApi, TreeEntry } from './ports.js';
import { FOLDER_MODE, Trees } from './trees.js';

/** Which repository of GitHub's, in the form that its routes take. */
export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

/** Which commit, and the trees that are known of its repository already. */
export interface ApiCommit {
  readonly repository: RepositoryName;
  readonly commit: string;
  readonly trees?: Trees;
  /** Asked before a file is fetched, with its bytes where a tree has told them; throws when it is not to be fetched. */
  readonly admit?: (bytes: number) => void;
}

/** The files of a commit by the API, where no checkout holds the commit; rejects with what GitHub answered. */
export function apiFiles(api: GitHubApi, given: ApiCommit): CommitFiles {
  const { repository, commit } = given;
  const trees = given.trees ?? new Trees(api, repository);
  let rootTree: Promise<string> | undefined;
  return {
    commit,
    async list(paths) {
      rootTree ??= trees.rootOf(commit);
      const top: TreeEntry = { path: '', mode: FOLDER_MODE, sha: await rootTree };
      const found: TreeEntry[] = [];
      for (const path of paths) {
        const at = await descend(top, { path, trees });
        if (at !== null) found.push(...(await filesAt(at, trees)));
      }
      return found;
    },
    async linkAbove(path) {
      rootTree ??= trees.rootOf(commit);
      const top: TreeEntry = { path: '', mode: FOLDER_MODE, sha: await rootTree };
      const segments = segmentsOf(path);
      for (let many = 1; many < segments.length; many += 1) {
        const above = segments.slice(0, many).join('/');
        const at = await descend(top, { path: above, trees });
        if (at === null) return null;
        if (isLink(at)) return above;
      }
      return null;
    },
    async read(sha) {
      given.admit?.(trees.sizeOf(sha) ?? 0);
      const route = 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}';
      const result = await api.call({ route, parameters: { ...repository, file_sha: sha } });
      if (result.kind === 'refused') throw new Error(result.reason);
      const content = result.data.get('content')?.string();
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

const segmentsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '' && part !== '.');

/** What stands in a tree and holds, or leads to, files that the tree does not list. */
export function isLink({ mode }: Pick<TreeEntry, 'mode'>): boolean {
  return mode === '120000' || mode === '160000';
}

async function descend(
  top: TreeEntry,
  { path, trees }: { readonly path: string; readonly trees: Trees },
): Promise<TreeEntry | null> {
  let at = top;
  for (const segment of segmentsOf(path)) {
    if (at.mode !== FOLDER_MODE) return null;
    const next = (await trees.children(at.sha)).find((entry) => entry.path === segment);
    if (next === undefined) return null;
    at = { ...next, path: at.path === '' ? segment : `${at.path}/${segment}` };
  }
  return at;
}

async function filesAt(at: TreeEntry, trees: Trees): Promise<readonly TreeEntry[]> {
  if (at.mode !== FOLDER_MODE) return [at];
  const below = await trees.below(at.sha);
  return at.path === '' ? below : below.map((entry) => ({ ...entry, path: `${at.path}/${entry.path}` }));
}
