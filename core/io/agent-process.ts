import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import type { AgentProcess, StartAgentProcess } from '../agents/agent-process.js';
import { type ErrorCode, gateError } from '../model/error-codes.js';
import { type GateError, oneLine } from '../model/errors.js';
import { CHANNEL_FD } from './agent-channel.js';
import { Doorway, withDoors } from './doorway.js';
import { entryPath } from './entry.js';
import { LineBuffer } from './line-buffer.js';

/** The largest answer of an agent: 16 MB, line feed included. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/** How much of what an agent prints is kept, to say why it died. */
const MAX_PRINTED_BYTES = 16 * 1024;

/** How long a dead process's line may stay open: a process that it let loose may hold it. */
const MAX_LINGER_MS = 500;

/** Starts the agent host in a process group of its own, so that all of it can be killed at once. */
export const startAgentProcess: StartAgentProcess = agentProcessBehind([]);

/**
 * The same behind a program that becomes what its arguments name, in a place that it makes: `unshare --net`. With `doors`, the process
 * hands out the doors of that place before it loads the module.
 */
export function agentProcessBehind(wrapper: readonly string[], doors?: 'doors'): StartAgentProcess {
  return (options) => startBehind({ wrapper, doors }, options);
}

function startBehind(
  { wrapper, doors }: { readonly wrapper: readonly string[]; readonly doors: 'doors' | undefined },
  { module, environment, doors: addresses = new Map() }: Parameters<StartAgentProcess>[0],
): AgentProcess {
  const doorway = doors === undefined ? null : new Doorway();
  const inside = (url: string): string => doorway?.inside(url) ?? url;
  const path = resolve(module);
  const [program = process.execPath, ...rest] = [...wrapper, process.execPath, entryPath('agent-host'), path];
  const child = spawn(program, rest, {
    ...(existsSync(dirname(path)) ? { cwd: dirname(path) } : {}),
    env: withDoors(environment, { addresses, inside }),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', ...(doorway === null ? [] : (['ipc'] as const))],
    detached: true,
  });
  doorway?.attend(child);
  return new ChildAgentProcess(child, inside);
}

interface Waiting {
  readonly resolve: (line: Uint8Array) => void;
  readonly reject: (error: GateError) => void;
}

class ChildAgentProcess implements AgentProcess {
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #buffer = new LineBuffer(MAX_REPLY_BYTES);
  #printed = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;
  #waiting: Waiting | undefined;
  /** A line that came before anyone asked for it: the greeting. */
  #early: Uint8Array | undefined;
  /** Whether the process owes us a line; it owes the greeting from the start. */
  #owes = true;
  #failure: GateError | undefined;

  readonly inside: (url: string) => string;

  constructor(child: ChildProcess, inside: (url: string) => string) {
    this.#child = child;
    this.inside = inside;
    this.#channel = child.stdio[CHANNEL_FD] as unknown as Duplex;
    this.#channel.on('data', (chunk: Buffer) => this.#take(chunk));
    // What the agent prints is read, so that it never blocks on a full pipe, and goes nowhere.
    child.stdout?.resume();
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#printed = Buffer.concat([this.#printed, chunk]).subarray(-MAX_PRINTED_BYTES);
    });
    for (const stream of child.stdio) stream?.on('error', () => {});
    child.on('error', (cause) => this.#fail('agent-exited', `its process could not be started: ${cause.message}`));
    this.#channel.on('end', () => this.#killGroup());
    this.#awaitDeath();
  }

  get alive(): boolean {
    return this.#failure === undefined;
  }

  greeting(): Promise<Uint8Array> {
    return this.#nextLine();
  }

  exchange(line: Uint8Array): Promise<Uint8Array> {
    this.#owes = true;
    this.#channel.write(Buffer.concat([line, Buffer.from('\n')]));
    return this.#nextLine();
  }

  arm(milliseconds: number): void {
    this.disarm();
    this.#timer = setTimeout(
      () => this.#fail('agent-timeout', `it gave no answer within ${milliseconds / 1000} s`),
      milliseconds,
    );
  }

  disarm(): void {
    clearTimeout(this.#timer);
  }

  kill(): void {
    this.#fail('agent-exited', 'its process was stopped');
  }

  #nextLine(): Promise<Uint8Array> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const early = this.#early;
    this.#early = undefined;
    if (early !== undefined) return Promise.resolve(early);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #take(chunk: Buffer): void {
    if (!this.#owes) return this.#fail('agent-reply', 'it wrote to its channel without being asked');
    const read = this.#buffer.push(chunk);
    if (read.kind === 'partial') return;
    if (read.kind === 'too-large')
      return this.#fail('agent-reply-too-large', `its answer is longer than ${MAX_REPLY_BYTES} bytes`);
    if (read.kind === 'surplus') return this.#fail('agent-reply', 'it wrote more than one answer');
    this.#owes = false;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#early = read.line;
    else waiting.resolve(read.line);
  }

  /** Waits for the exit and for the last byte of the channel: an answer that was written whole still counts. */
  #awaitDeath(): void {
    let ending: { readonly code: number | null; readonly signal: string | null } | undefined;
    let closed = false;
    const settle = (): void => {
      if (ending !== undefined && closed) this.#fail('agent-exited', this.#deathNotice(ending));
    };
    this.#channel.on('close', () => {
      closed = true;
      settle();
    });
    this.#child.on('exit', (code, signal) => {
      ending = { code, signal };
      this.#killGroup();
      setTimeout(() => this.#channel.destroy(), MAX_LINGER_MS).unref();
      settle();
    });
  }

  #deathNotice({ code, signal }: { readonly code: number | null; readonly signal: string | null }): string {
    const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
    const when = this.#buffer.size > 0 ? 'in the middle of its answer' : 'without an answer';
    const words = lastWords(this.#printed.toString('utf8'));
    return `its process ${how} ${when}${words === '' ? '' : `, saying: ${words}`}`;
  }

  #fail(code: ErrorCode, message: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = gateError(code, { blame: 'agent', message });
    this.disarm();
    this.#killGroup();
    for (const stream of this.#child.stdio) stream?.destroy();
    this.#waiting?.reject(this.#failure);
    this.#waiting = undefined;
  }

  #killGroup(): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // The whole group is gone already.
    }
  }
}

/** The last line of an error's text that says something, made safe for one line of ours. */
function lastWords(printed: string): string {
  const lines = printed
    .split('\n')
    .filter((line) => /^\S/.test(line) && !line.startsWith('Node.js v') && !/^[{}]/.test(line));
  return oneLine((lines.at(-1) ?? '').slice(0, 300));
}
