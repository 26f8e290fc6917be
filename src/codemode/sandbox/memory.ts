import type { Exports } from './wasm.ts'

/** The memory of an instance, which moves when it grows: whoever reads it asks here. */
export class Memory {
  readonly #exports: Exports
  #buffer: ArrayBuffer | undefined
  #bytes = Buffer.alloc(0)
  #view = new DataView(new ArrayBuffer(0))

  constructor(exports: Exports) {
    this.#exports = exports
  }

  get bytes(): Buffer {
    this.#follow()
    return this.#bytes
  }

  get view(): DataView {
    this.#follow()
    return this.#view
  }

  #follow(): void {
    const { buffer } = this.#exports.memory
    if (buffer === this.#buffer) return
    this.#buffer = buffer
    this.#bytes = Buffer.from(this.#buffer)
    this.#view = new DataView(this.#buffer)
  }

  /** Puts a text there; whoever asked frees it. Throws when there is no room. */
  text(text: string): { at: number; length: number } {
    const length = Buffer.byteLength(text)
    const at = this.#exports.wasm_malloc(length + 1)
    if (at === 0) throw new OutOfMemory()
    const { bytes } = this
    bytes.write(text, at, length, 'utf8')
    bytes[at + length] = 0
    return { at, length }
  }

  /** The text of a value, which stays QuickJS's. One that is longer than `most` bytes is not read. */
  read(value: number, most = Number.POSITIVE_INFINITY): string {
    const { qjs_get_string_len, qjs_free_cstring, wasm_malloc, wasm_free } = this.#exports
    const lengthAt = wasm_malloc(4)
    if (lengthAt === 0) throw new OutOfMemory()
    const at = qjs_get_string_len(value, lengthAt)
    const length = this.view.getUint32(lengthAt, true)
    wasm_free(lengthAt)
    if (at === 0) throw new OutOfMemory()
    if (length > most) {
      qjs_free_cstring(at)
      throw new TooLong(length)
    }
    const text = this.bytes.toString('utf8', at, at + length)
    qjs_free_cstring(at)
    return text
  }
}

export class OutOfMemory extends Error {
  constructor() {
    super('out of memory')
  }
}

export class TooLong extends Error {
  readonly bytes: number
  constructor(bytes: number) {
    super(`${bytes} bytes`)
    this.bytes = bytes
  }
}
