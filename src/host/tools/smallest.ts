/** The first ones in their order, of any number of names, in bounded memory. */
export class Smallest {
  readonly #most: number
  #names = new Set<string>()
  /** What comes after it is not among the first. */
  #bound: string | undefined
  #hasMore = false

  constructor(most: number) {
    this.#most = most
  }

  add(name: string): void {
    if (this.#bound !== undefined && name > this.#bound) return
    this.#names.add(name)
    if (this.#names.size > 2 * this.#most + 1000) this.#prune()
  }

  first(): { names: string[]; hasMore: boolean } {
    this.#prune()
    return { names: [...this.#names], hasMore: this.#hasMore }
  }

  #prune(): void {
    const names = [...this.#names].toSorted()
    this.#names = new Set(names.slice(0, this.#most))
    if (names.length <= this.#most) return
    this.#hasMore = true
    this.#bound = names[this.#most - 1]
  }
}
