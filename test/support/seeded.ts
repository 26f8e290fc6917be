/** Randomness that can be had again: SEED=… repeats a run. */
export function seeded(seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)) {
  process.stdout.write(`SEED=${seed}\n`)
  let state = seed
  const below = (limit: number) => {
    // mulberry32: small, and good enough to choose a moment
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return {
    below,
    shuffle<Item>(items: Item[]): Item[] {
      for (let index = items.length - 1; index > 0; index--) {
        const other = below(index + 1)
        ;[items[index], items[other]] = [items[other]!, items[index]!]
      }
      return items
    },
  }
}
