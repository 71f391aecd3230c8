import { TREE_MODE } from '../git/objects.js';
import { type Call, ok, type Route, reads } from '../http/call.js';
import { notFound } from '../http/errors.js';
import { nodeId } from '../render/accounts.js';
import { gitCommit } from '../render/commits.js';
import { address } from '../render/repositories.js';
import { tooLarge, wrapped } from './contents.js';

const LARGEST_BLOB = 100 * 1024 * 1024;

const KINDS: Readonly<Record<string, string>> = { [TREE_MODE]: 'tree', '160000': 'commit' };

function refOf(call: Call, [ref, sha]: readonly [string, string]) {
  const self = `${address(call.repository)}/git`;
  return {
    ref,
    node_id: nodeId('Ref', call.repository.id),
    url: `${self}/${ref}`,
    object: { type: 'commit', sha, url: `${self}/commits/${sha}` },
  };
}

/** All refs of a repository, those of its pull requests included. */
function refs(call: Call): [string, string][] {
  const pulls = call.repository.pulls.all.map((pull): [string, string] => [
    `refs/pull/${pull.number}/head`,
    pull.headSha,
  ]);
  return [...call.repository.refs, ...pulls].sort(([a], [b]) => (a < b ? -1 : 1));
}

function getRef(call: Call) {
  const found = refs(call).find(([ref]) => ref === `refs/${call.params['ref']}`);
  if (found === undefined) throw notFound();
  return ok(refOf(call, found));
}

function listRefs(call: Call) {
  const some = refs(call).filter(([ref]) => ref.startsWith(`refs/${call.params['ref']}`));
  return ok(some.map((one) => refOf(call, one)));
}

function getCommit(call: Call) {
  const commit = call.repository.store.commit(call.params['commit_sha'] ?? '');
  if (commit === undefined) throw notFound();
  return ok(gitCommit(call.repository, commit));
}

function getTree(call: Call) {
  const { store } = call.repository;
  const name = call.params['tree_sha'] ?? '';
  const commit = store.commit(call.repository.resolve(name) ?? '');
  const root = commit?.tree ?? name;
  if (store.tree(root) === undefined) throw notFound();
  const all = listTree(call, { root, recursive: call.query.has('recursive') });
  const most = call.world.mostTreeEntries;
  const url = `${address(call.repository)}/git/trees/${root}`;
  return ok({ sha: root, url, tree: all.slice(0, most), truncated: all.length > most });
}

function listTree(call: Call, { root, recursive }: { root: string; recursive: boolean }) {
  const { store } = call.repository;
  const base = `${address(call.repository)}/git`;
  const listed: { path: string; mode: string; type: string; sha: string; size?: number; url?: string }[] = [];
  const pending = [{ prefix: '', sha: root }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of store.tree(next.sha) ?? []) {
      const path = next.prefix + entry.name;
      const type = KINDS[entry.mode] ?? 'blob';
      const size = type === 'blob' ? { size: store.blob(entry.sha)?.length ?? 0 } : {};
      const url = type === 'commit' ? {} : { url: `${base}/${type}s/${entry.sha}` };
      listed.push({ path, mode: entry.mode, type, sha: entry.sha, ...size, ...url });
      if (type === 'tree' && recursive) pending.push({ prefix: `${path}/`, sha: entry.sha });
    }
  }
  return listed.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function getBlob(call: Call) {
  const sha = call.params['file_sha'] ?? '';
  const bytes = call.repository.store.blob(sha);
  if (bytes === undefined) throw notFound();
  if (bytes.length > LARGEST_BLOB) throw tooLarge();
  if (/application\/vnd\.github\.(v3\.)?raw/.test(call.accept))
    return { status: 200, raw: { type: 'application/vnd.github.raw+json; charset=utf-8', bytes } };
  return ok({
    sha,
    node_id: nodeId('Blob', Number.parseInt(sha.slice(0, 8), 16)),
    size: bytes.length,
    url: `${address(call.repository)}/git/blobs/${sha}`,
    content: wrapped(bytes),
    encoding: 'base64',
  });
}

/** Git's own objects. */
export const git: Readonly<Record<string, Route>> = {
  'git/get-ref': reads(['contents'], getRef),
  'git/list-matching-refs': reads(['contents'], listRefs),
  'git/get-commit': reads(['contents'], getCommit),
  'git/get-tree': reads(['contents'], getTree),
  'git/get-blob': reads(['contents'], getBlob),
};
