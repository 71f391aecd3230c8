import { posix } from 'node:path';
import { TREE_MODE, type TreeEntry } from '../git/objects.js';
import { entryAt } from '../git/trees.js';
import { type Answer, type Call, ok } from '../http/call.js';
import { ApiError, notFound, Unsupported } from '../http/errors.js';
import { address, page } from '../render/repositories.js';

// GitHub's bounds for the contents API: what it embeds, what it serves at all, and how many entries of a folder it lists.
const LARGEST_EMBEDDED = 1024 * 1024;
const LARGEST_SERVED = 100 * 1024 * 1024;
const MOST_ENTRIES = 1000;

/** What GitHub answers when a blob is more than it serves. */
export const tooLarge = () =>
  new ApiError(
    403,
    'This API returns blobs up to 100 MB in size. The requested blob is too large to fetch via the API.',
    {
      body: { errors: [{ resource: 'Blob', field: 'data', code: 'too_large' }] },
    },
  );

/** Base64 in lines of 60, as GitHub wraps it. */
export const wrapped = (bytes: Buffer) => bytes.toString('base64').replaceAll(/.{1,60}/g, '$&\n');

const isRaw = (call: Call) => /application\/vnd\.github\.(v3\.)?raw/.test(call.accept);

type Located = { readonly path: string; readonly entry: TreeEntry; readonly ref: string };

/** Reads a file or lists a folder at a commit; a link to a file is followed, as GitHub does. */
export function contents(call: Call): Answer {
  const { repository } = call;
  const ref = call.query.get('ref') ?? repository.defaultBranch;
  const sha = repository.resolve(ref);
  const commit = sha === undefined ? undefined : repository.store.commit(sha);
  if (commit === undefined) throw new ApiError(404, `No commit found for the ref ${ref}`);
  const path = (call.params['path'] ?? '').replace(/\/$/, '');
  const entry = entryAt(repository.store, { tree: commit.tree, path });
  if (entry === undefined) throw notFound();
  if (entry.mode === TREE_MODE) return folder(call, { path, entry, ref });
  const target = linkTarget(call, { path, entry, tree: commit.tree });
  return file(call, { path, entry: target ?? entry, ref });
}

function linkTarget(
  call: Call,
  { path, entry, tree }: { path: string; entry: TreeEntry; tree: string },
): TreeEntry | undefined {
  if (entry.mode !== '120000') return undefined;
  const { store } = call.repository;
  const target = posix.join(posix.dirname(path), store.blob(entry.sha)?.toString('utf8') ?? '');
  if (target.startsWith('/') || target.startsWith('..')) return undefined;
  const found = entryAt(store, { tree, path: target });
  return found?.mode.startsWith('100') ? found : undefined;
}

function links(call: Call, { path, entry, ref }: Located) {
  const { repository } = call;
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const kind = entry.mode === TREE_MODE ? 'trees' : 'blobs';
  const isModule = entry.mode === '160000';
  const url = `${address(repository)}/contents/${encoded}?ref=${encodeURIComponent(ref)}`;
  const git_url = isModule ? null : `${address(repository)}/git/${kind}/${entry.sha}`;
  const html_url = `${page(repository)}/${entry.mode === TREE_MODE ? 'tree' : 'blob'}/${ref}/${encoded}`;
  const download_url = entry.mode.startsWith('1') && !isModule ? `${page(repository)}/raw/${ref}/${encoded}` : null;
  return { url, git_url, html_url, download_url, _links: { self: url, git: git_url, html: html_url } };
}

const TYPES: Readonly<Record<string, string>> = { [TREE_MODE]: 'dir', '120000': 'symlink' };

function folder(call: Call, located: Located): Answer {
  if (isRaw(call)) throw new Unsupported('a folder has no raw contents');
  const { store } = call.repository;
  const entries = (store.tree(located.entry.sha) ?? []).slice(0, MOST_ENTRIES);
  return ok(
    entries.map((entry) => {
      const path = located.path === '' ? entry.name : `${located.path}/${entry.name}`;
      // GitHub calls a sub-module a file here, for the sake of old clients.
      const type = TYPES[entry.mode] ?? 'file';
      const size = store.blob(entry.sha)?.length ?? 0;
      return { name: entry.name, path, sha: entry.sha, size, type, ...links(call, { ...located, path, entry }) };
    }),
  );
}

function file(call: Call, located: Located): Answer {
  const { path, entry } = located;
  const common = { name: posix.basename(path), path, sha: entry.sha, ...links(call, located) };
  if (entry.mode === '160000') {
    const submodule_git_url = `${call.world.addresses.site}/modules/${common.name}.git`;
    return ok({ ...common, type: 'submodule', size: 0, submodule_git_url });
  }
  const bytes = call.repository.store.blob(entry.sha);
  if (bytes === undefined) throw notFound();
  if (bytes.length > LARGEST_SERVED) throw tooLarge();
  if (isRaw(call)) return { status: 200, raw: { type: 'application/vnd.github.raw+json; charset=utf-8', bytes } };
  const size = bytes.length;
  if (entry.mode === '120000') return ok({ ...common, type: 'symlink', size, target: bytes.toString('utf8') });
  if (size > LARGEST_EMBEDDED) return ok({ ...common, type: 'file', size, content: '', encoding: 'none' });
  return ok({ ...common, type: 'file', size, content: wrapped(bytes), encoding: 'base64' });
}
