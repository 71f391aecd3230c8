/** A binary heap that gives the item with the least key first, each step in logarithmic time. */
export class MinHeap<Item> {
  readonly #items: Item[] = [];
  readonly #keyOf: (item: Item) => bigint;

  constructor(keyOf: (item: Item) => bigint) {
    this.#keyOf = keyOf;
  }

  /** The item with the least key, which stays; undefined when there is none. */
  get first(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#isLess(at, above)) return;
      this.#swap(at, above);
      at = above;
    }
  }

  /** The item with the least key; undefined when there is none. */
  pop(): Item | undefined {
    const items = this.#items;
    if (items.length === 0) return undefined;
    this.#swap(0, items.length - 1);
    const least = items.pop();
    for (let at = 0; ; ) {
      let smallest = at;
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < items.length && this.#isLess(below, smallest)) smallest = below;
      if (smallest === at) return least;
      this.#swap(at, smallest);
      at = smallest;
    }
  }

  #isLess(one: number, other: number): boolean {
    return this.#keyOf(this.#items[one] as Item) < this.#keyOf(this.#items[other] as Item);
  }

  #swap(one: number, other: number): void {
    const items = this.#items;
    [items[one], items[other]] = [items[other] as Item, items[one] as Item];
  }
}
