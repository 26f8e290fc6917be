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

  /** Of those who wait, the next one of whoever has least by `heldOf`; nobody whose is infinite. */
  next(heldOf: (owner: string) => number = () => 0): Item | undefined {
    const owner = this.#whoseTurn(heldOf)
    const line = owner === undefined ? undefined : this.#lines.get(owner)
    if (owner === undefined || !line) return undefined
    const item = line.shift()
    this.#lines.delete(owner)
    if (line.length > 0) this.#lines.set(owner, line)
    this.#size -= 1
    return item
  }

  get owners(): IteratorObject<string> {
    return this.#lines.keys()
  }

  #whoseTurn(heldOf: (owner: string) => number): string | undefined {
    let turn: string | undefined
    let least = Infinity
    for (const owner of this.#lines.keys()) {
      const held = heldOf(owner)
      if (held < least) [turn, least] = [owner, held]
      if (least === 0) break
    }
    return turn
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
