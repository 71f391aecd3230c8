import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { blobSha, type CommitFiles, isLink, type TreeEntry } from '../../core/index.js';
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
    async contains(commit) {
      // A shallow clone says no where its history ends.
      const shallow = textOf(await git({ folder: root, args: ['rev-parse', '--is-shallow-repository'] }));
      if (shallow.trim() !== 'false') return null;
      return git({ folder: root, args: ['merge-base', '--is-ancestor', commit, 'HEAD'] }).then(
        () => true,
        (error: unknown) => (error instanceof Error && error.message.includes(' ended with 1:') ? false : null),
      );
    },
    files: (commit) => commitFiles(root, commit),
    // Not `git diff`, which does as the repository's own .gitmodules and configuration say.
    changedSince: (commit) =>
      git({ folder: root, args: ['diff-tree', '-r', '--name-only', ...EVERY_CHANGE, '-z', commit, 'HEAD', '--'] }).then(
        (bytes) =>
          textOf(bytes)
            .split('\0')
            .filter((path) => path !== ''),
        () => null,
      ),
  };
}

const EVERY_CHANGE = ['--no-renames', '--ignore-submodules=none'];

/** Paths that one call of git is handed: a system takes only so long a command line. */
const PATHS_A_CALL = 1_000;

/** A shallow checkout has no parents for `git rev-parse`, but the commit itself names them. */
function parentsIn(commit: string): readonly string[] {
  const [header = ''] = commit.split('\n\n', 1);
  return [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, sha = '']) => sha);
}

function commitFiles(root: string, commit: string): CommitFiles {
  const tree = async (args: readonly string[]): Promise<readonly TreeEntry[]> => {
    const bytes = await git({ folder: root, args: ['ls-tree', '-z', '--full-tree', ...args] });
    return textOf(bytes)
      .split('\0')
      .filter((line) => line !== '')
      .map(entryOf);
  };
  return {
    commit,
    async list(paths) {
      if (paths.length === 0) return [];
      // Without a path the whole tree is listed; an empty one would be no path at all to git.
      if (paths.includes('')) return tree(['-r', commit, '--']);
      const found: TreeEntry[] = [];
      for (let at = 0; at < paths.length; at += PATHS_A_CALL)
        found.push(...(await tree(['-r', commit, '--', ...paths.slice(at, at + PATHS_A_CALL)])));
      return found;
    },
    async linkAbove(path) {
      const above = path.split('/').map((_, many, segments) => segments.slice(0, many).join('/'));
      const entries = path.includes('/') ? await tree([commit, '--', ...above.slice(1)]) : [];
      return entries.find(isLink)?.path ?? null;
    },
    async read(sha) {
      const bytes = await git({ folder: root, args: ['cat-file', 'blob', sha] });
      if (sha.length === 40 && blobSha(bytes) !== sha) throw new Error(`git gave another file for ${sha}`);
      return bytes;
    },
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

/** A commit as it was pushed: no stand-ins from refs/replace, no pattern in a path, nobody asked and nothing fetched. */
const PLAINLY = {
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
};

/** Runs git without a shell, without asking anybody, and without the environment's own ideas of where its repository is. */
function git({ folder, args }: Call): Promise<Uint8Array> {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  // In a container the checkout belongs to another user, which git refuses unless it is told.
  const child = spawn('git', ['-c', 'safe.directory=*', '-c', 'core.quotePath=false', '-C', folder, ...args], {
    env: { ...environment, ...PLAINLY },
    // Windows looks for a program in the folder of its caller first, and a pull request may hold a git.exe.
    cwd: dirname(process.execPath),
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
