/** Does the work of each item, so many at once. */
export async function workOff<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  // One iterator that all share.
  const queue = items.values();
  const takeOn = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, takeOn));
}
