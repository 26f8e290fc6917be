/** A few places, of which each has one text: whoever was there longest ago makes room. */
export class Places {
  readonly #most: number
  /** The one that was asked for last is at the end. */
  readonly #places = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Where it is; `isNew` when it was not there before. */
  of(text: string): { place: number; isNew: boolean } {
    const known = this.#places.get(text)
    const place = known ?? this.#free()
    this.#places.delete(text)
    this.#places.set(text, place)
    return { place, isNew: known === undefined }
  }

  clear(): void {
    this.#places.clear()
  }

  #free(): number {
    if (this.#places.size < this.#most) return this.#places.size
    const [oldest, place] = this.#places.entries().next().value!
    this.#places.delete(oldest)
    return place
  }
}
