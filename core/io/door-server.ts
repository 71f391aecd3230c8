import type { Server } from 'node:http';
import { gateError } from '../model/error-codes.js';
import { oneLine } from '../model/errors.js';

/** Requests at a door that belong to no run in progress: they cost little, and no run answers for them. */
export const STRANGERS = { burst: 1_000, perSecond: 500 };

/** Has a server listen on a free port of this machine; `what` names it. Rejects with GateError `address-unavailable`. */
export function listenHere(server: Server, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        gateError('address-unavailable', {
          blame: 'configuration',
          message: `${what} cannot be opened: ${oneLine(cause.message)}`,
          remedy: 'see whether this machine lets programs listen on 127.0.0.1',
          cause,
        }),
      ),
    );
    server.listen(0, '127.0.0.1', resolve);
  });
}

/** Takes no further connection and drops those that are open. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
