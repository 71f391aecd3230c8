import type { Pause, Transport } from '../core/index.js';
import type { ArtifactTransport } from './artifact.js';
import type { GitCheckout, RunnerLog } from './ports.js';
import type { Deflater } from './zip.js';

/** Files as the Action sees them; paths are absolute. */
export interface ActionFiles {
  /** The bytes of a regular file; null when nothing readable has this path. */
  read(path: string): Uint8Array | null;
  /** Writes a file and makes the folders above it. */
  write(path: string, bytes: Uint8Array): void;
  makeFolder(path: string): void;
  /** A fresh folder below another one. */
  makeTemporary(parent: string): string;
  /** Regular files below a folder, relative to it, with `/`; links are left out, and a folder that is missing holds nothing. */
  list(folder: string): readonly string[];
  isFolder(path: string): boolean;
  /** Links followed; the path itself when nothing is there. */
  realPath(path: string): string;
}

/** What a job's files for the runner take; each throws when its file cannot be written. */
export interface RunnerFiles {
  output(name: string, value: string): void;
  /** Adds to the step's summary. */
  summary(markdown: string): void;
  /** Remembers what the runner's files hold; the returned function puts back what was changed since, and names those files. */
  guard(): () => readonly string[];
}

/** Why a job ends early. */
export type Stop = 'cancelled' | 'timed_out';

/** Everything outside that the Action needs. */
export interface ActionWorld {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cores: number;
  readonly log: RunnerLog;
  readonly files: ActionFiles;
  readonly runner: RunnerFiles;
  readonly zlib: Deflater;
  readonly pause: Pause;
  /** RFC 3339. */
  now(): string;
  /** RFC 3339, so many days from now. */
  inDays(days: number): string;
  /** Makes a folder the process's own: relative paths start there. */
  enter(folder: string): void;
  openCheckout(folder: string): Promise<GitCheckout | null>;
  github(access: { readonly token: string; readonly apiUrl: string }): Transport;
  artifacts(access: { readonly url: string; readonly token: string }): ArtifactTransport;
  /** Calls back once when the runner cancels the job or so many minutes have passed; the returned function ends the watch. */
  onStop(minutes: number, listener: (stop: Stop) => void): () => void;
}
