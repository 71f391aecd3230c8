import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpClient } from '../agents/a2a/http.js';
import type { ServiceProcess, ServiceStart, ServiceStarter } from '../agents/a2a/service-process.js';
import type { LogTail } from '../agents/agent.js';
import { oneLine } from '../model/errors.js';
import { Doorway, withDoors } from './doorway.js';
import { entryPath } from './entry.js';
import { httpClientBy } from './http-client.js';
import { GRACE_MS, LIFELINE_FD } from './service-channel.js';
import { ServiceLog } from './service-log.js';

/** Starts services whose output goes to `<folder>/<name>.log`, one file an entry, added to from start to start. */
export function serviceStarter({ logs }: { readonly logs: string }): ServiceStarter {
  return {
    start: (options) =>
      new HostedService(options, { log: new ServiceLog(logs, options.label), doorway: null, wrapper: [] }),
    sleep: (milliseconds) => sleep(milliseconds),
  };
}

/** The same behind a program that becomes what its arguments name, in a place of its own that only our doors lead into. */
export function serviceStarterBehind(
  wrapper: () => readonly string[],
  { logs }: { readonly logs: string },
): ServiceStarter {
  return {
    start(options) {
      const log = new ServiceLog(logs, options.label);
      return new HostedService(options, { log, doorway: new Doorway(), wrapper: wrapper() });
    },
    sleep: (milliseconds) => sleep(milliseconds),
  };
}

interface Surroundings {
  readonly log: ServiceLog;
  readonly doorway: Doorway | null;
  readonly wrapper: readonly string[];
}

class HostedService implements ServiceProcess {
  readonly #host: ChildProcess;
  readonly #lifeline: Duplex;
  readonly #exited: Promise<void>;
  readonly #log: ServiceLog;
  #ended: string | undefined;
  #stopping = false;

  readonly http?: HttpClient;
  readonly inside: (url: string) => string;

  constructor({ command, cwd, environment, doors, url }: ServiceStart, { log, doorway, wrapper }: Surroundings) {
    const inside = (address: string): string => doorway?.inside(address) ?? address;
    this.inside = inside;
    this.#log = log;
    const [program = process.execPath, ...rest] = [...wrapper, process.execPath, entryPath('service-host'), command];
    this.#host = spawn(program, rest, {
      cwd: resolve(cwd),
      env: withDoors(environment, { addresses: doors ?? new Map(), inside }),
      stdio: ['ignore', log.descriptor, log.descriptor, 'pipe', ...(doorway === null ? [] : (['ipc'] as const))],
      detached: true,
    });
    log.handOver();
    if (doorway !== null) {
      doorway.attend(this.#host);
      this.http = httpClientBy(() => doorway.connect(url));
    }
    this.#lifeline = this.#host.stdio[LIFELINE_FD] as unknown as Duplex;
    this.#lifeline.on('data', (chunk: Buffer) => {
      this.#ended ??= oneLine(chunk.toString('utf8'));
    });
    this.#lifeline.on('error', () => {});
    this.#exited = new Promise((done) => {
      this.#host.on('error', (cause) => {
        this.#ended ??= `could not be started: ${oneLine(cause.message)}`;
        done();
      });
      this.#host.on('exit', () => this.#killGroup());
      // Not at the exit: what the host wrote last is to be read first.
      this.#host.on('close', () => {
        this.#ended ??= 'was ended';
        done();
      });
    });
    // A service must not keep the command line alive.
    this.#host.unref();
  }

  get ended(): string | undefined {
    return this.#stopping ? undefined : this.#ended;
  }

  logTail(): LogTail {
    return this.#log.tail();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#lifeline.destroy();
    const overdue = setTimeout(() => this.#killGroup(), GRACE_MS + 1_000);
    this.#host.ref();
    await this.#exited;
    clearTimeout(overdue);
  }

  #killGroup(): void {
    if (this.#host.pid === undefined) return;
    try {
      process.kill(-this.#host.pid, 'SIGKILL');
    } catch {
      // The whole group is gone already.
    }
  }
}
