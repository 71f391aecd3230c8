/**
 * What runs inside an isolated place: it opens the listeners that our doors are reached at, and the connections that the gate wants to what
 * listens in there, and hands their descriptors to the gate. A socket stays of the network that it was made in, whoever holds it.
 */
import type { SendHandle } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { DOOR_PORTS, type InnerMessage, readConnect } from './door-messages.js';

/** Whether this process was started isolated: it has a channel to the gate then. */
export function isIsolated(): boolean {
  return process.send !== undefined;
}

/** Hands one listener for each door to the gate, and keeps none of them. */
export async function handOutDoors(): Promise<void> {
  for (const [door, port] of DOOR_PORTS.entries()) {
    const server = createServer();
    await new Promise<void>((done, fail) => {
      server.once('error', fail);
      server.listen({ port, host: '127.0.0.1', backlog: 128 }, done);
    });
    await tell({ kind: 'door', door }, server);
    server.close();
  }
}

/** Connects to what listens in here whenever the gate asks for that. */
export function answerConnects(): void {
  process.on('message', (message) => {
    const asked = readConnect(message);
    if (asked === null) return;
    const { id, host, port } = asked;
    const socket = connect({ host, port });
    const onError = (error: NodeJS.ErrnoException): void => {
      void tell({ kind: 'refused', id, reason: error.code ?? 'it failed' });
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      socket.off('error', onError);
      socket.on('error', () => {});
      void tell({ kind: 'connected', id }, socket);
    });
  });
  // The channel alone keeps nothing running.
  process.channel?.unref();
}

function tell(message: InnerMessage, handle?: SendHandle): Promise<void> {
  return new Promise((done) => {
    process.send?.(message, handle, {}, () => done());
  });
}
