import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

/** The repository's root. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

const CLI = join(ROOT, 'build/cli.js');

/** How a call of the command line ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and how the built command line is called; its environment holds PATH and what is named here, nothing of the tests'. */
export interface Calling {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What standard input holds; nothing when it is left out. */
  readonly input?: string;
}

/** Calls the built command line as a process of its own, with nothing on its standard input; fails after 50 seconds. */
export function grounding(args: readonly string[], calling: Calling = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: calling.cwd ?? ROOT,
      env: { PATH: process.env['PATH'], ...calling.env },
    });
    // A command that reads nothing may be gone before this is written.
    child.stdin.on('error', () => undefined);
    child.stdin.end(calling.input ?? '');
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`grounding ${args.join(' ')} did not end`));
    }, 50_000);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') });
    });
  });
}

const folders: string[] = [];

/** A temporary folder with these files, removed after the tests of the file. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'grounding-cli-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
