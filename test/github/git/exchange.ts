import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { ObjectKind, ObjectStore } from './objects.js';

const MOST = 1 << 30;

function git(directory: string, args: readonly string[], input?: string): Buffer {
  return execFileSync('git', ['-C', directory, ...args], { maxBuffer: MOST, input: input ?? '' });
}

/** Reads every object and branch of a real clone; the branches come back by name. */
export function readClone(store: ObjectStore, directory: string): Map<string, string> {
  const names = git(directory, ['rev-list', '--objects', '--all', '--no-object-names']).toString();
  const batch = git(directory, ['cat-file', '--batch'], names);
  for (let from = 0; from < batch.length; ) {
    const end = batch.indexOf(0x0a, from);
    const [, kind = '', size = '0'] = batch.toString('latin1', from, end).split(' ');
    const bytes = batch.subarray(end + 1, end + 1 + Number(size));
    if (kind !== 'tag') store.put(kind as ObjectKind, Buffer.from(bytes));
    from = end + 2 + Number(size);
  }
  const refs = git(directory, ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags']);
  const pairs = refs
    .toString()
    .trim()
    .split('\n')
    .filter((line) => line !== '');
  return new Map(pairs.map((line) => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? '']));
}

/** Writes all objects and refs into a new git folder and checks one commit out, as actions/checkout leaves it. */
export function writeClone(
  store: ObjectStore,
  clone: { readonly directory: string; readonly refs: ReadonlyMap<string, string>; readonly checkout: string },
): void {
  mkdirSync(clone.directory, { recursive: true });
  git(clone.directory, ['init', '--quiet', '--initial-branch=unborn']);
  for (const [sha, { kind, bytes }] of store.entries()) {
    const file = join(clone.directory, '.git/objects', sha.slice(0, 2), sha.slice(2));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, deflateSync(Buffer.concat([Buffer.from(`${kind} ${bytes.length}\0`), bytes])));
  }
  const lines = [...clone.refs].map(([name, sha]) => `update ${name} ${sha}\n`).join('');
  git(clone.directory, ['update-ref', '--stdin'], lines);
  git(clone.directory, ['checkout', '--quiet', '--detach', clone.checkout]);
}
