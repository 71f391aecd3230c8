import { AsyncLocalStorage } from 'node:async_hooks';

/** Ends a call with an error. */
type Fail = (error: unknown) => void;

/**
 * What code that runs for calls throws where nobody catches it, for a process that does nothing but answer them. The call that it ran for
 * fails, or every call under way where that is not known, and the process goes on: one call must not end the others and the next.
 */
export class StrayErrors {
  readonly #underWay = new Set<Fail>();
  readonly #call = new AsyncLocalStorage<Fail>();

  /** Takes the errors of the whole process until `close`; each is handed to `tell` as well. */
  constructor(tell: (error: unknown) => void) {
    process.setUncaughtExceptionCaptureCallback((error) => {
      tell(error);
      const own = this.#call.getStore();
      // A call that has ended is not answered again.
      if (own === undefined) for (const fail of [...this.#underWay]) fail(error);
      else if (this.#underWay.has(own)) own(error);
    });
  }

  /** Rejects with the first stray error of the work, or else ends as it does. */
  during<Value>(work: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const fail: Fail = (error) => {
        this.#underWay.delete(fail);
        reject(error);
      };
      this.#underWay.add(fail);
      this.#call.run(fail, work).then((value) => {
        this.#underWay.delete(fail);
        resolve(value);
      }, fail);
    });
  }

  close(): void {
    process.setUncaughtExceptionCaptureCallback(null);
  }
}
