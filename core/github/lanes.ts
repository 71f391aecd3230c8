/**
 * Works through items with so many at a time, and gives the results in the order of the items. The first failure ends it: no
 * further item is begun, so that nothing is asked of a GitHub that has said to wait.
 */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  { lanes, work }: { readonly lanes: number; readonly work: (item: Item) => Promise<Result> },
): Promise<readonly Result[]> {
  const results = new Map<number, Result>();
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item !== undefined) results.set(at, await work(item));
    }
  };
  const ended = (error: unknown): never => {
    next = items.length;
    throw error;
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, () => lane().catch(ended)));
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}
