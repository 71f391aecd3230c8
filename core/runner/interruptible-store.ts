import type { RunStore } from '../conductor/ports.js';
import { gateError } from '../model/error-codes.js';

/** A store that can be told to stop. */
export interface InterruptibleStore {
  readonly store: RunStore;
  /** From now on nothing is stored; resolves when what was being written is whole and no reservation is left. */
  interrupt(): Promise<void>;
}

/**
 * Wraps a store, so that an interrupted command leaves neither a half run nor a run whose agent seems to have failed
 * only because the user ended it.
 */
export function interruptible(inner: RunStore): InterruptibleStore {
  const reserved = new Set<string>();
  const writing = new Set<Promise<void>>();
  let interrupted = false;
  const refuse = (): never => {
    throw gateError('interrupted', { blame: 'caller', message: 'the command was interrupted' });
  };
  const release = async (id: string): Promise<void> => {
    reserved.delete(id);
    await inner.release(id);
  };
  return {
    store: {
      async reserve(id) {
        if (interrupted) refuse();
        await inner.reserve(id);
        reserved.add(id);
      },
      async write(run) {
        if (interrupted) refuse();
        const written = inner.write(run).finally(() => reserved.delete(run.invocationId));
        writing.add(written);
        await written.finally(() => writing.delete(written));
      },
      release,
    },
    async interrupt() {
      interrupted = true;
      await Promise.allSettled(writing);
      await Promise.allSettled([...reserved].map(release));
    },
  };
}
