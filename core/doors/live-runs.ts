import { sha256Hex } from '../json/index.js';
import type { SourceService } from './source-service.js';

/**
 * The runs that are being served, in memory only. They are kept by the hash of their token, so that nothing here can print one, and
 * finding one takes no comparison whose time tells of it (as core/conductor/grants.ts does).
 */
export class LiveRuns {
  readonly #live = new Map<string, SourceService>();

  /** Lets a token in until the returned function is called. */
  admit(token: string, service: SourceService): () => void {
    const key = sha256Hex(token);
    this.#live.set(key, service);
    return () => {
      this.#live.delete(key);
      service.close();
    };
  }

  /** The service of the run that holds a token; undefined for any other. */
  of(token: string): SourceService | undefined {
    return this.#live.get(sha256Hex(token));
  }
}
