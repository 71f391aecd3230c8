import type { LogTail } from '../agent.js';
import type { HttpClient } from './http.js';

/** A command that an entry of agents.yaml starts, with the processes that it started in turn. */
export interface ServiceProcess {
  /** How it ended, once it did; it is not expected to. */
  readonly ended: string | undefined;
  /** What it printed last. */
  logTail(): LogTail;
  /** Ends the whole process group: asked first, killed when it does not listen. */
  stop(): Promise<void>;
  /** The network as it is seen where the command runs; left out where that is ours. */
  readonly http?: HttpClient;
  /** The address by which it reaches an address of ours: another one where it runs isolated. */
  inside(url: string): string;
}

/** How a service is started. */
export interface ServiceStart {
  readonly command: string;
  readonly cwd: string;
  readonly environment: ReadonlyMap<string, string>;
  /** Variables that hold addresses of ours. */
  readonly doors?: ReadonlyMap<string, string>;
  /** What its log file is called after. */
  readonly label: string;
  /** Where it is to answer. */
  readonly url: string;
}

/** Starting services, and waiting; the real one is core/io/service-process.ts. */
export interface ServiceStarter {
  /** Starts a command in a process group that ends with us, however we end. */
  start(options: ServiceStart): ServiceProcess;
  sleep(milliseconds: number): Promise<void>;
}
