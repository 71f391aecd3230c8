interface Waiting {
  readonly alone: boolean;
  readonly admit: () => void;
}

/** Lets several in together, or one alone, in the order in which they came. */
export class Turnstile {
  readonly #waiting: Waiting[] = [];
  #inside = 0;
  #alone = false;

  /** Resolves when it may go in; what it gives is called, once, when it has come out. */
  async enter(alone: boolean): Promise<() => void> {
    await new Promise<void>((admit) => {
      this.#waiting.push({ alone, admit });
      this.#next();
    });
    return () => {
      this.#inside -= 1;
      this.#alone = false;
      this.#next();
    };
  }

  #next(): void {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      if (this.#alone || (first.alone && this.#inside > 0)) return;
      this.#waiting.shift();
      this.#inside += 1;
      this.#alone = first.alone;
      first.admit();
    }
  }
}
