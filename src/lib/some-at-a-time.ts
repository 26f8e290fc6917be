/** Does the work for each, for at most so many at the same time. The results come in the order of the items. */
export async function someAtATime<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  const hand = async () => {
    // All hands take from the same line.
    for (const [at, item] of waiting) results[at] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, hand))
  return results
}
