/** A step mostly takes less, and to be woken takes as long as many of them. */
const longestMs = 0.3

/**
 * Keeps this thread from falling asleep for the moment in which an answer is about to come. Everything else that there is
 * to do here is done meanwhile.
 */
export class Attention {
  #until = 0
  #isPaid = false

  pay(): void {
    this.#until = performance.now() + longestMs
    if (this.#isPaid) return
    this.#isPaid = true
    setImmediate(this.#again)
  }

  end(): void {
    this.#until = 0
  }

  readonly #again = (): void => {
    this.#isPaid = performance.now() < this.#until
    if (this.#isPaid) setImmediate(this.#again)
  }
}
