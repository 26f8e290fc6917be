import { rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import type { OutputRest } from '#contract/workspace-tool.ts'
import { unfinishedTail } from '#lib/utf8.ts'
import type { KeptOutputs } from './kept-outputs.ts'

/** What is answered; the rest is behind a handle. */
const answeredBytes = 256 * 1024
const keptBytes = 64 * 1024 * 1024

/** One stream of a command's output: the first part in memory, all of it in a file once there is more. */
export class CapturedOutput {
  readonly #outputs: KeptOutputs
  #head: Buffer[] = []
  #bytes = 0
  #said = 0
  #file: { name: string; handle: FileHandle } | undefined
  /** The disk takes no more; what was written stays readable. */
  #isFull = false

  constructor(outputs: KeptOutputs) {
    this.#outputs = outputs
  }

  async take(chunk: Buffer): Promise<void> {
    this.#said += chunk.length
    if (this.#isFull) return
    const piece = chunk.subarray(0, keptBytes - this.#bytes)
    this.#isFull = piece.length < chunk.length
    const isAnswered = this.#bytes < answeredBytes
    try {
      if (this.#bytes + piece.length > answeredBytes) await this.#write(piece)
      this.#bytes += piece.length
    } catch {
      this.#isFull = true
    }
    if (isAnswered) this.#head.push(piece)
  }

  /** To be called once, at the end. */
  async close(): Promise<{ text: string; rest?: OutputRest }> {
    const head = Buffer.concat(this.#head)
    this.#head = []
    const part = head.subarray(0, answeredBytes)
    if (this.#said === part.length) return { text: part.toString('utf8') }
    const text = part.toString('utf8', 0, part.length - unfinishedTail(part))
    const bytes = await this.#closeFile()
    return { text, rest: this.#outputs.keep(this.#file?.name, { bytes, said: this.#said }) }
  }

  /** Nobody wants it. */
  async discard(): Promise<void> {
    await this.#file?.handle.close()
    if (this.#file) rmSync(this.#file.name, { force: true })
  }

  /** How many bytes are in it. A write that failed may have written some of its piece, or not all that came before. */
  async #closeFile(): Promise<number> {
    if (!this.#file) return 0
    const { handle } = this.#file
    const bytes = Math.min(this.#bytes, (await handle.stat()).size)
    await handle.truncate(bytes)
    await handle.close()
    return bytes
  }

  async #write(piece: Buffer): Promise<void> {
    if (!this.#file) {
      const name = this.#outputs.newFile()
      this.#file = { name, handle: await open(name, 'wx', 0o600) }
      await this.#file.handle.appendFile(Buffer.concat(this.#head))
    }
    await this.#file.handle.appendFile(piece)
  }
}
