import type { IncomingMessage } from 'node:http';

/** GitHub sends no larger webhook; it leaves the delivery out (its page on webhook limits). */
export const LARGEST_BODY = 25 * 1024 * 1024;
/** Bodies that are being read at one time, all together. */
const MOST_AT_ONCE = 4 * LARGEST_BODY;

/** A request's body, or why it was not read to its end. */
export type Body =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'busy' }
  /** The sender went away. */
  | { readonly kind: 'broken' };

/** Reads bodies; keeps no more of them than a fixed number of bytes, whoever sends. */
export class BodyReader {
  #held = 0;

  /** Reads a body that is no larger than GitHub's largest; what says that it is larger is not read at all. */
  async read(request: IncomingMessage): Promise<Body> {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (!(announced <= LARGEST_BODY)) return { kind: 'too-large' };
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        size += chunk.length;
        this.#held += chunk.length;
        if (size > LARGEST_BODY) return { kind: 'too-large' };
        if (this.#held > MOST_AT_ONCE) return { kind: 'busy' };
        chunks.push(chunk);
      }
      return { kind: 'body', bytes: Buffer.concat(chunks) };
    } catch {
      return { kind: 'broken' };
    } finally {
      this.#held -= size;
    }
  }
}
