/** A place to write text or bytes to: standard output, standard error, or a test's. */
export interface Output {
  write(text: string | Uint8Array): Promise<void>;
  readonly isTerminal: boolean;
  /** Width of the terminal; undefined when there is none, or it says 0. */
  readonly columns: number | undefined;
  /** The stream itself, for the progress bar alone. */
  readonly stream: NodeJS.WritableStream;
}

/** All that the command line knows of the process it runs in; made in main.ts. */
export interface World {
  /** The arguments after the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether somebody sits at both ends of a terminal, so that questions can be asked; they go to `err`. */
  readonly isInteractive: boolean;
  /** Number of processor cores that this process may use. */
  readonly cores: number;
  readonly out: Output;
  readonly err: Output;
  /**
   * Hands interrupts to the command: the first calls `listener` instead of ending the process, which then ends with the command's own
   * exit code; a second one ends it at once.
   */
  takeInterrupts(listener: () => void): void;
  /** Runs `cleanup` when the user interrupts the command, before the process ends; gives back a function that forgets it. */
  onInterrupt(cleanup: () => Promise<void>): () => void;
}
