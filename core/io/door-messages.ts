/** Where the gate's doors are inside an isolated place: beyond the ports that systems give out by themselves. */
export const DOOR_PORTS = [61_001, 61_002, 61_003] as const;

/** What comes from inside, each of the first two with a descriptor. */
export type InnerMessage =
  | { readonly kind: 'door'; readonly door: number }
  | { readonly kind: 'connected'; readonly id: number }
  | { readonly kind: 'refused'; readonly id: number; readonly reason: string };

/** The gate wants a connection to what listens inside. */
export interface ConnectMessage {
  readonly kind: 'connect';
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

/** Reads a message from inside, where an agent's code runs; null for anything else. */
export function readInner(message: unknown): InnerMessage | null {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return null;
  if (message.kind === 'door' && 'door' in message && typeof message.door === 'number')
    return { kind: 'door', door: message.door };
  if (!('id' in message) || typeof message.id !== 'number') return null;
  if (message.kind === 'connected') return { kind: 'connected', id: message.id };
  if (message.kind !== 'refused' || !('reason' in message)) return null;
  return { kind: 'refused', id: message.id, reason: String(message.reason).slice(0, 100) };
}

/** Reads a message of the gate. */
export function readConnect(message: unknown): ConnectMessage | null {
  if (typeof message !== 'object' || message === null || !('kind' in message) || message.kind !== 'connect')
    return null;
  if (!('id' in message) || !('host' in message) || !('port' in message)) return null;
  const { id, host, port } = message;
  if (typeof id !== 'number' || typeof host !== 'string' || typeof port !== 'number') return null;
  return { kind: 'connect', id, host, port };
}
