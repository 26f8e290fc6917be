/** The first ones in the order of their names, of any number of them, in bounded memory. */
export class Smallest<Item> {
  readonly #most: number
  readonly #nameOf: (item: Item) => string
  #items: Item[] = []
  /** From here on nothing is among the first. */
  #bound: string | undefined
  #hasMore = false

  constructor(most: number, nameOf: (item: Item) => string) {
    this.#most = most
    this.#nameOf = nameOf
  }

  get hasMore(): boolean {
    return this.#hasMore || this.#items.length > this.#most
  }

  /** Whether one of this name would be among the first, as far as is known. */
  takes(name: string): boolean {
    return this.#bound === undefined || name <= this.#bound
  }

  add(item: Item): void {
    if (!this.takes(this.#nameOf(item))) this.#hasMore = true
    else if (this.#items.push(item) > 2 * this.#most + 1000) this.#prune()
  }

  sorted(): Item[] {
    this.#prune()
    return this.#items
  }

  #prune(): void {
    const named = this.#items.map((item) => ({ item, name: this.#nameOf(item) }))
    named.sort((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)))
    this.#hasMore ||= named.length > this.#most
    this.#items = named.slice(0, this.#most).map(({ item }) => item)
    if (this.#hasMore) this.#bound = named[this.#most - 1]?.name
  }
}
