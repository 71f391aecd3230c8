import { coreCount } from '../io/cores.js';
import type { Output, World } from './world.js';

/** What the command line needs of a process; main.ts hands over the real one. */
type ProcessLike = Pick<NodeJS.Process, 'argv' | 'env' | 'cwd' | 'stdout' | 'stderr' | 'on' | 'exit'>;

/** Signals that end a command early, with the exit code that shells give them. */
const INTERRUPTS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

/** The world as a process shows it; arguments begin after node's and the program's own. */
export function processWorld(host: ProcessLike): World {
  const cleanups = new Set<() => Promise<void>>();
  let interrupted = false;
  for (const [signal, exitCode] of INTERRUPTS) {
    host.on(signal, () => {
      // A second Ctrl-C does not wait for what the first one started.
      if (interrupted) host.exit(exitCode);
      interrupted = true;
      void Promise.allSettled([...cleanups].map((cleanup) => cleanup())).then(() => host.exit(exitCode));
    });
  }

  return {
    args: host.argv.slice(2),
    env: host.env,
    cwd: host.cwd(),
    cores: coreCount(),
    out: outputOf(host.stdout),
    err: outputOf(host.stderr),
    onInterrupt(cleanup) {
      cleanups.add(cleanup);
      return () => cleanups.delete(cleanup);
    },
  };
}

function outputOf(stream: NodeJS.WriteStream): Output {
  let closed = false;
  // A reader that has seen enough (`| head`) is no error.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    closed = true;
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    isTerminal: stream.isTTY === true,
    columns: stream.columns > 0 ? stream.columns : undefined,
    stream,
    write: (text) =>
      new Promise((resolve) => {
        if (closed) resolve();
        else stream.write(text, () => resolve());
      }),
  };
}
