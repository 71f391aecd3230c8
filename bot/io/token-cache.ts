/** GitHub's tokens hold for an hour. */
const LIFE_MS = 55 * 60_000;
const MOST = 10_000;

/** Installation tokens as Octokit keeps them, by a key that is the installation's number when nothing narrows the token. */
export class TokenCache {
  readonly #kept = new Map<string, { readonly value: string; readonly until: number }>();

  get(key: string): string | undefined {
    const known = this.#kept.get(key);
    return known !== undefined && known.until > Date.now() ? known.value : undefined;
  }

  set(key: string, value: string): void {
    this.#kept.delete(key);
    this.#kept.set(key, { value, until: Date.now() + LIFE_MS });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST) return;
      this.#kept.delete(oldest);
    }
  }

  /** The next request of the installation fetches a token that knows what it may do now. */
  forget(installation: number): void {
    this.#kept.delete(String(installation));
  }
}
