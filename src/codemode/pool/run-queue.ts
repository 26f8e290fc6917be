/** Whose turn it is: everybody who waits gets one turn after the other, however many each of them has waiting. */
export class RunQueue<Item> {
  readonly #lines = new Map<string, Item[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf(owner: string): number {
    return this.#lines.get(owner)?.length ?? 0
  }

  /** At the end of the owner's own line, or at its beginning for what has begun already. */
  add(owner: string, item: Item, isFirst = false): void {
    const line = this.#lines.get(owner)
    if (!line) this.#lines.set(owner, [item])
    else if (isFirst) line.unshift(item)
    else line.push(item)
    this.#size += 1
  }

  next(): Item | undefined {
    for (const [owner, line] of this.#lines) {
      const item = line.shift()
      this.#lines.delete(owner)
      if (line.length > 0) this.#lines.set(owner, line)
      if (item === undefined) continue
      this.#size -= 1
      return item
    }
    return undefined
  }

  remove(owner: string, item: Item): boolean {
    const line = this.#lines.get(owner)
    const at = line?.indexOf(item) ?? -1
    if (!line || at === -1) return false
    line.splice(at, 1)
    if (line.length === 0) this.#lines.delete(owner)
    this.#size -= 1
    return true
  }
}
