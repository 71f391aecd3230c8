import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import type { CommitFiles, TreeEntry } from '../../core/index.js';
import type { GitCheckout } from '../ports.js';

/** The most that one answer of git is read to: a list of a hundred thousand files, or the largest copy of a source. */
const MOST_BYTES = 2 ** 30;

/** The working tree around a folder, or null when there is none that git knows. */
export async function openCheckout(folder: string): Promise<GitCheckout | null> {
  const top = await git({ folder, args: ['rev-parse', '--show-toplevel'] }).catch(() => null);
  if (top === null) return null;
  const root = realpathSync(textOf(top).replace(/\n$/, ''));
  return {
    root,
    head: async () => textOf(await git({ folder: root, args: ['rev-parse', '--verify', 'HEAD^{commit}'] })).trim(),
    parents: async (commit) => parentsIn(textOf(await git({ folder: root, args: ['cat-file', 'commit', commit] }))),
    has: (commit) =>
      git({ folder: root, args: ['cat-file', '-e', `${commit}^{commit}`] }).then(
        () => true,
        () => false,
      ),
    files: (commit) => commitFiles(root, commit),
    changedSince: (commit) =>
      git({ folder: root, args: ['diff', '--name-only', '--no-renames', '-z', commit, 'HEAD', '--'] }).then(
        (bytes) =>
          textOf(bytes)
            .split('\0')
            .filter((path) => path !== ''),
        () => null,
      ),
  };
}

/** A shallow checkout has no parents for `git rev-parse`, but the commit itself names them. */
function parentsIn(commit: string): readonly string[] {
  const [header = ''] = commit.split('\n\n', 1);
  return [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, sha = '']) => sha);
}

function commitFiles(root: string, commit: string): CommitFiles {
  return {
    commit,
    async list(paths) {
      if (paths.length === 0) return [];
      // Without a path the whole tree is listed; an empty one would be no path at all to git.
      const wanted = paths.includes('') ? [] : paths;
      const bytes = await git({ folder: root, args: ['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...wanted] });
      return textOf(bytes)
        .split('\0')
        .filter((line) => line !== '')
        .map(entryOf);
    },
    read: (sha) => git({ folder: root, args: ['cat-file', 'blob', sha] }),
  };
}

/** `<mode> SP <type> SP <object> TAB <path>` */
function entryOf(line: string): TreeEntry {
  const [, mode, sha, path] = /^(\d{6}) \w+ ([0-9a-f]+)\t([\s\S]+)$/.exec(line) ?? [];
  if (mode === undefined || sha === undefined || path === undefined)
    throw new Error('git lists a tree as nobody expected');
  return { mode, sha, path };
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

interface Call {
  readonly folder: string;
  readonly args: readonly string[];
}

/** Runs git without a shell, without asking anybody, and without the environment's own ideas of where its repository is. */
function git({ folder, args }: Call): Promise<Uint8Array> {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  // In a container the checkout belongs to another user, which git refuses unless it is told.
  const child = spawn('git', ['-c', 'safe.directory=*', '-c', 'core.quotePath=false', '-C', folder, ...args], {
    env: { ...environment, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let complaint = '';
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > MOST_BYTES) child.kill('SIGKILL');
      else pieces.push(piece);
    });
    child.stderr.on('data', (piece: Buffer) => {
      complaint = (complaint + piece.toString('utf8')).slice(-500);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(pieces));
      else reject(new Error(`git ${args[0]} ended with ${code}: ${complaint.trim()}`));
    });
  });
}
