import type { ChildProcess } from 'node:child_process';
import { connect, Server, Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { type ConnectMessage, DOOR_PORTS, readInner } from './door-messages.js';

/** Connections through one door at once; more wait. */
const MAX_CONNECTIONS = 256;

interface Waiting {
  readonly resolve: (socket: Socket) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The gate's side of an isolated place: connections to its listeners are led to our own servers, and to none besides, and connections into it
 * are had from the process that stands in there. What that process says decides no more than that.
 */
export class Doorway {
  /** Origins of ours, by the listener that leads to each. */
  readonly #targets: string[] = [];
  readonly #doors = new Map<number, Server>();
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | undefined;
  #ids = 0;
  #gone = false;

  /** The address inside for one of ours. */
  inside(url: string): string {
    const { origin } = new URL(url);
    let door = this.#targets.indexOf(origin);
    if (door < 0) door = this.#targets.push(origin) - 1;
    const port = DOOR_PORTS[door];
    if (port === undefined) throw new Error('an isolated agent was given more addresses than there are doors');
    return url.replace(origin, `http://127.0.0.1:${port}`);
  }

  /** Listens to the process inside. */
  attend(child: ChildProcess): void {
    this.#child = child;
    child.on('message', (message, handle) => this.#take(message, handle));
    child.on('exit', () => this.#end());
    child.on('error', () => this.#end());
    // Ours to the last, so that what is isolated keeps nothing running.
    child.channel?.unref();
  }

  /** A connection to what listens inside at an address. */
  connect(url: string): Promise<Socket> {
    const { hostname, port } = new URL(url);
    const message: ConnectMessage = {
      kind: 'connect',
      id: ++this.#ids,
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 80),
    };
    return new Promise((resolve, reject) => {
      const child = this.#child;
      if (this.#gone || child === undefined) return reject(new Error('it is not running'));
      this.#waiting.set(message.id, { resolve, reject });
      child.send(message, (error) => {
        if (error !== null && this.#waiting.delete(message.id)) reject(error);
      });
    });
  }

  #take(sent: unknown, handle: unknown): void {
    const message = readInner(sent);
    if (message?.kind === 'door' && handle instanceof Server) return this.#open(message.door, handle);
    if (message?.kind === 'refused') return this.#settle(message.id)?.reject(new Error(message.reason));
    if (message?.kind === 'connected' && handle instanceof Socket) {
      const waiting = this.#settle(message.id);
      return waiting === undefined ? void handle.destroy() : waiting.resolve(handle);
    }
    discard(handle);
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #open(door: number, server: Server): void {
    if (this.#gone || this.#doors.has(door) || DOOR_PORTS[door] === undefined) return discard(server);
    this.#doors.set(door, server);
    server.maxConnections = MAX_CONNECTIONS;
    server.on('error', () => {});
    server.on('connection', (socket) => this.#lead(socket, this.#targets[door]));
    server.unref();
  }

  #lead(socket: Socket, origin: string | undefined): void {
    socket.on('error', () => {});
    if (origin === undefined) return void socket.destroy();
    const { hostname, port } = new URL(origin);
    const ours = connect({ host: hostname, port: Number(port || 80) });
    socket.setNoDelay(true);
    ours.setNoDelay(true);
    pipeline(socket, ours, socket, () => {
      socket.destroy();
      ours.destroy();
    });
  }

  #end(): void {
    this.#gone = true;
    for (const server of this.#doors.values()) server.close();
    for (const { reject } of this.#waiting.values()) reject(new Error('it ended'));
    this.#waiting.clear();
  }
}

function discard(handle: unknown): void {
  if (handle instanceof Server) handle.close();
  if (handle instanceof Socket) handle.destroy();
}

/** An environment with the variables that hold addresses of ours, as they are where the process runs. */
export function withDoors(
  environment: ReadonlyMap<string, string>,
  { addresses, inside }: { readonly addresses: ReadonlyMap<string, string>; readonly inside: (url: string) => string },
): Record<string, string> {
  const doors = [...addresses].map(([name, url]): [string, string] => [name, inside(url)]);
  return Object.fromEntries([...environment, ...doors]);
}
