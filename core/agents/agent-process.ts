/**
 * A process that holds one agent and answers one line with one line. The real one is core/io/agent-process.ts.
 * Every rejection is a GateError of blame `agent`, and the process has been killed by then.
 */
export interface AgentProcess {
  /** False once the process is dead or was killed. */
  readonly alive: boolean;
  /** The first line that the process writes, without being asked. */
  greeting(): Promise<Uint8Array>;
  /** Sends a line and waits for the answering one; both without their line feed. One at a time. */
  exchange(line: Uint8Array): Promise<Uint8Array>;
  /** Kills the process once `milliseconds` have passed, unless `disarm` comes first. */
  arm(milliseconds: number): void;
  disarm(): void;
  /** Kills the process with all that it started. */
  kill(): void;
  /** The address by which it reaches an address of ours: another one where it runs isolated. */
  inside(url: string): string;
}

/** Starts the process of a module's agent with exactly the given environment; what `doors` adds to it are addresses of ours. */
export type StartAgentProcess = (options: {
  readonly module: string;
  readonly environment: ReadonlyMap<string, string>;
  readonly doors?: ReadonlyMap<string, string>;
}) => AgentProcess;
