import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ROOT } from './grounding.js';

const CLI = join(ROOT, 'build/cli.js');

/** Starts a command that goes on until it is interrupted, and gives the address that it prints. */
export async function start(
  args: readonly string[],
  calling: { readonly cwd: string; readonly env?: Record<string, string> },
) {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: calling.cwd,
    env: { PATH: process.env['PATH'], ...calling.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A test that fails in between must not leave it running.
  onTestFinished(() => void child.kill('SIGKILL'));
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const exited = new Promise<number | null>((done) => child.on('exit', (code) => done(code)));
  const url = await Promise.race([
    new Promise<string>((done) => child.stdout.once('data', (chunk: Buffer) => done(chunk.toString().trim()))),
    exited.then((code) => Promise.reject(new Error(`it ended with ${code}: ${errors.join('')}`))),
  ]);
  return {
    url,
    pid: child.pid ?? 0,
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal);
      return { code: await exited, stderr: errors.join('') };
    },
  };
}
