import type { StoredImage } from './port.ts'
import type { Image } from './sandbox/image.ts'
import { readImage } from './sandbox/stored-image.ts'

/** There is another one with every version of Signalbox that changes the sandbox: more are hardly ever in use at a time. */
const mostKept = 4

/** Images that were ours once: for what was frozen over them. Those that were used last are kept. */
export class EarlierImages {
  readonly #kept = new Map<string, Promise<Image>>()

  /** Rejects when it is neither kept nor stored. */
  async of(hash: string, stored?: StoredImage): Promise<Image> {
    const image = this.#kept.get(hash) ?? this.#read(hash, stored)
    this.#kept.delete(hash)
    this.#kept.set(hash, image)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostKept) break
      this.#kept.delete(oldest)
    }
    return image
  }

  #read(hash: string, stored?: StoredImage): Promise<Image> {
    if (stored?.hash !== hash) throw new Error('It was frozen over an image that is not here')
    const reading = readImage(stored)
    reading.catch(() => this.#kept.delete(hash))
    return reading
  }
}
