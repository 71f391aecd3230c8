import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as toolkit from '@actions/core';
import { coreCount } from '../../core/index.js';
import type { RunnerLog } from '../ports.js';
import type { ActionWorld, Stop } from '../world.js';
import { artifactTransport } from './artifact-http.js';
import { diskFiles } from './files.js';
import { openCheckout } from './git.js';
import { octokitTransport } from './octokit.js';
import { nodeZlib } from './zlib.js';

type ProcessLike = Pick<NodeJS.Process, 'env' | 'stdout' | 'on' | 'off' | 'chdir'>;

/** How the runner cancels a job: SIGINT, and SIGTERM seven and a half seconds later. */
const CANCELLING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The world as a runner's step sees it; `end` resolves when the log is written. */
export function runnerWorld(host: ProcessLike): ActionWorld & { end(): Promise<void> } {
  const environment = { ...host.env };
  return {
    environment,
    cores: coreCount(),
    log: runnerLog(host),
    files: diskFiles,
    runner: {
      output(name, value) {
        requireFile(environment['GITHUB_OUTPUT']);
        toolkit.setOutput(name, value);
      },
      summary: (markdown) => appendFileSync(requireFile(environment['GITHUB_STEP_SUMMARY']), markdown),
      guard: () => guardFiles(environment),
    },
    zlib: nodeZlib,
    pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    now: () => new Date().toISOString(),
    inDays: (days) => new Date(Date.now() + days * 86_400_000).toISOString(),
    enter: (folder) => host.chdir(folder),
    openCheckout,
    github: octokitTransport,
    artifacts: artifactTransport,
    onStop: (minutes, listener) => watch(host, { minutes, listener }),
    end: () => new Promise((resolve) => host.stdout.write('', () => resolve())),
  };
}

/** The runner makes these files; without them the toolkit would print what it cannot write. */
function requireFile(path: string | undefined): string {
  if (path !== undefined && path !== '' && existsSync(path)) return path;
  throw new Error('the runner gave no file for it');
}

/** Files with which a step speaks to the runner: what stands in them becomes outputs, variables and paths of later steps. */
const RUNNER_FILES = ['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'] as const;

function guardFiles(environment: Readonly<Record<string, string | undefined>>): () => readonly string[] {
  const known = RUNNER_FILES.flatMap((name) => {
    const path = environment[name];
    const bytes = path === undefined ? null : contentOf(path);
    return path === undefined || bytes === null ? [] : [{ name, path, bytes }];
  });
  return () => {
    const changed = known.filter(({ path, bytes }) => !holds(path, bytes));
    for (const { path, bytes } of changed) {
      // A link in its place would lead the bytes elsewhere.
      rmSync(path, { recursive: true, force: true });
      writeFileSync(path, bytes);
    }
    return changed.map(({ name }) => name);
  };
}

/** Sizes are compared first: what was put there may be more than memory holds. */
function holds(path: string, bytes: Buffer): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.size === bytes.length && contentOf(path)?.equals(bytes) === true;
}

/** The bytes of a plain file; null for anything else. */
function contentOf(path: string): Buffer | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path) : null;
}

/** The runner reads no command until it reads a token that nobody outside can guess. */
function stopCommands(host: ProcessLike): () => void {
  const token = `grounding-${randomBytes(24).toString('hex')}`;
  host.stdout.write(`::stop-commands::${token}\n`);
  // What an agent wrote last may lack its line feed.
  return () => void host.stdout.write(`\n::${token}::\n`);
}

function runnerLog(host: ProcessLike): RunnerLog {
  return {
    info: (text) => toolkit.info(text),
    untrusted(text) {
      const listen = stopCommands(host);
      host.stdout.write(text.trimEnd());
      listen();
    },
    hush: () => stopCommands(host),
    commands: (text) => void host.stdout.write(text),
    warning: (line) => toolkit.warning(line),
    error: (line) => toolkit.error(line),
    mask: (secret) => toolkit.setSecret(secret),
  };
}

function watch(
  host: ProcessLike,
  { minutes, listener }: { readonly minutes: number; readonly listener: (stop: Stop) => void },
): () => void {
  let told = false;
  const stop = (why: Stop): void => {
    if (told) return;
    told = true;
    listener(why);
  };
  const cancelled = (): void => stop('cancelled');
  // Longer than a timer takes is longer than any job lasts.
  const timer = setTimeout(() => stop('timed_out'), Math.min(minutes * 60_000, 2 ** 31 - 1));
  for (const signal of CANCELLING) host.on(signal, cancelled);
  return () => {
    clearTimeout(timer);
    // The listeners stay: what is being told is finished, and the runner has the last word.
  };
}
