import { coreCount } from '../io/cores.js';
import { gateError } from '../model/error-codes.js';
import type { Output, World } from './world.js';

/** What the command line needs of a process; main.ts hands over the real one. */
type ProcessLike = Pick<NodeJS.Process, 'argv' | 'env' | 'cwd' | 'stdin' | 'stdout' | 'stderr' | 'on' | 'exit'>;

/** Signals that end a command early, with the exit code that shells give them. */
const INTERRUPTS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

/** The world as a process shows it, and the one way to end that process. */
export interface ProcessWorld {
  readonly world: World;
  /** Ends the process with this code, unless an interrupt has its own code for it. */
  end(code: number): void;
}

/** Looks at a process; its arguments begin after node's and the program's own. */
export function processWorld(host: ProcessLike): ProcessWorld {
  const cleanups = new Set<() => Promise<void>>();
  const state: { interrupted: boolean; taker: (() => void) | null } = { interrupted: false, taker: null };
  for (const [signal, exitCode] of INTERRUPTS) {
    host.on(signal, () => {
      // A second Ctrl-C does not wait for what the first one started.
      if (state.interrupted) host.exit(exitCode);
      state.interrupted = true;
      const cleaned = Promise.allSettled([...cleanups].map((cleanup) => cleanup()));
      if (state.taker !== null) state.taker();
      else void cleaned.then(() => host.exit(exitCode));
    });
  }
  const world: World = {
    args: host.argv.slice(2),
    env: host.env,
    cwd: host.cwd(),
    isInteractive: host.stdin.isTTY === true && host.stderr.isTTY === true,
    cores: coreCount(),
    out: outputOf(host.stdout, state),
    err: outputOf(host.stderr, state),
    takeInterrupts(listener) {
      state.taker = listener;
    },
    onInterrupt(cleanup) {
      cleanups.add(cleanup);
      return () => cleanups.delete(cleanup);
    },
  };
  return {
    world,
    end: (code) => {
      if (!state.interrupted || state.taker !== null) host.exit(code);
    },
  };
}

/** After an interrupt nothing is written any more: what a command says while its agents are dying is no result. */
function outputOf(stream: NodeJS.WriteStream, state: { readonly interrupted: boolean }): Output {
  let closed = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    closed = true;
    // A reader that has seen enough (`| head`) is no error.
    if (error.code === 'EPIPE') return;
    throw gateError('output-unwritable', {
      blame: 'caller',
      message: `the result cannot be written (${error.code ?? error.message})`,
      remedy: 'make room where it goes',
      cause: error,
    });
  });
  return {
    isTerminal: stream.isTTY === true,
    columns: stream.columns > 0 ? stream.columns : undefined,
    stream,
    write: (text) =>
      new Promise((resolve) => {
        if (closed || state.interrupted) resolve();
        else stream.write(text, () => resolve());
      }),
  };
}
