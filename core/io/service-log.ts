import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { LogTail } from '../agents/agent.js';
import { gateError } from '../model/error-codes.js';
import { oneLine } from '../model/errors.js';
import { makeFolders } from './make-folders.js';

/** How much of the end of a log is looked at, in bytes, and how many of its lines are told. */
const TAIL_BYTES = 4_096;
const TAIL_LINES = 3;

/** The file that a service prints to, added to from start to start; its name comes from the entry's label. */
export class ServiceLog {
  readonly file: string;
  readonly descriptor: number;
  /** Where this start begins in the file. */
  readonly #begin: number;

  /** Throws GateError `agent-service` of blame `configuration` when the file cannot be had. */
  constructor(folder: string, label: string) {
    this.file = join(folder, `${label.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^\.+/, '')}.log`);
    try {
      makeFolders(folder);
      this.descriptor = openSync(this.file, 'a', 0o600);
      this.#begin = fstatSync(this.descriptor).size;
    } catch (cause) {
      throw gateError('agent-service', {
        blame: 'configuration',
        message: `the log of its service cannot be opened: ${reasonOf(cause)}`,
        remedy: 'choose another runs folder with --runs',
        place: { file: this.file },
        cause,
      });
    }
  }

  /** Closes our end, once the service has its own. */
  handOver(): void {
    closeSync(this.descriptor);
  }

  /** The last lines of this start that are not blank; a log that cannot be read says so in their place. */
  tail(): LogTail {
    try {
      const lines = this.#end()
        .split(/\r?\n/)
        .filter((line) => line.trim() !== '');
      return { file: this.file, lines: lines.slice(-TAIL_LINES) };
    } catch (cause) {
      return { file: this.file, lines: [`(it cannot be read: ${reasonOf(cause)})`] };
    }
  }

  #end(): string {
    // The service may have put anything in its place meanwhile, a pipe that waits for ever included.
    const descriptor = openSync(this.file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) throw new Error('it is no regular file any more');
      const { size } = stats;
      const from = Math.max(this.#begin, size - TAIL_BYTES);
      const bytes = Buffer.alloc(Math.max(0, size - from));
      const read = readSync(descriptor, bytes, 0, bytes.length, from);
      return bytes.toString('utf8', 0, read);
    } finally {
      closeSync(descriptor);
    }
  }
}

function reasonOf(cause: unknown): string {
  return oneLine(cause instanceof Error ? cause.message : String(cause));
}
