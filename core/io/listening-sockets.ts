import { readFileSync } from 'node:fs';

/** `Num RefCount Protocol Flags Type St Inode Path` of a socket that has a name in the file system (proc_net_unix(5)). */
const LINE = /^[0-9a-f]+: [0-9A-F]+ [0-9A-F]+ [0-9A-F]+ [0-9A-F]+ [0-9A-F]+ +[0-9]+ (\/.+)$/;

/**
 * The paths outside /run at which something of this machine has a Unix socket now; none where the system does not tell. Whoever makes a
 * socket chooses its path: they are arguments, and nothing but sockets may be looked for there.
 */
export function listeningSockets(): readonly string[] {
  const paths = readTable()
    .split('\n')
    .flatMap((line) => LINE.exec(line)?.[1] ?? [])
    .filter((path) => !path.startsWith('/run/'));
  return [...new Set(paths)];
}

function readTable(): string {
  try {
    return readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return '';
  }
}
