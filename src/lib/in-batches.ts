interface Waiting<Item, Result> {
  item: Item
  done: PromiseWithResolvers<Result>
}

/**
 * One piece of work for all that come together: those that come while it is under way go into the next one. `work` answers with a result for
 * each, in their order; what it rejects with, each of them rejects with.
 */
export function inBatches<Item, Result>(
  most: number,
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let isWorking = false

  async function doAll(): Promise<void> {
    if (isWorking) return
    isWorking = true
    await Promise.resolve() // who comes in the same breath comes along
    while (waiting.length > 0) await doSome(waiting.splice(0, most))
    isWorking = false
  }

  async function doSome(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await work(batch.map(({ item }) => item))
      for (const [at, { done }] of batch.entries()) done.resolve(results[at] as Result)
    } catch (error) {
      for (const { done } of batch) done.reject(error)
    }
  }

  return (item) => {
    const done = Promise.withResolvers<Result>()
    waiting.push({ item, done })
    void doAll()
    return done.promise
  }
}
