import type { LogStream } from '#contract/execution.ts'

/** How many chunks of other streams a half character waits for its other half. */
const patience = 16
/** A character has at most four bytes, so at most three chunks hold the beginning of one. */
export const lookBack = (patience + 1) * 3

const nothing = Buffer.alloc(0)

interface Held {
  bytes: Buffer
  since: number
}

/**
 * Joins characters that were cut between two chunks of one stream, whatever other streams say in between. What is no
 * character becomes U+FFFD. How it reads a chunk depends on the last `lookBack` chunks and on nothing else, so a reader
 * that resumes needs only to be shown those.
 */
export class CharacterJoiner {
  readonly #held = new Map<LogStream, Held>()
  #chunks = 0

  /** The text that this chunk completes. */
  take(stream: LogStream, chunk: Buffer): string {
    this.#chunks += 1
    if (chunk.length === 0) return this.#giveUp()
    const before = this.#held.get(stream)
    this.#held.delete(stream)
    const bytes = before ? Buffer.concat([before.bytes, chunk]) : chunk
    const half = unfinished(bytes)
    const text = this.#giveUp() + bytes.toString('utf8', 0, bytes.length - half.length)
    if (half.length > 0) this.#held.set(stream, { bytes: Buffer.from(half), since: this.#chunks })
    return text
  }

  /** What is left of characters that nobody will finish. */
  rest(): { stream: LogStream; content: string } | undefined {
    const [stream] = this.#held.keys()
    const content = Array.from(this.#held.values(), ({ bytes }) => bytes.toString('utf8')).join('')
    this.#held.clear()
    return stream && { stream, content }
  }

  #giveUp(): string {
    let text = ''
    for (const [stream, { bytes, since }] of this.#held)
      if (this.#chunks - since > patience) {
        text += bytes.toString('utf8')
        this.#held.delete(stream)
      }
    return text
  }
}

/** The beginning of a character at the end of these bytes. */
function unfinished(bytes: Buffer): Buffer {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const lead = bytes[bytes.length - length]!
    if (lead < 0x80) return nothing
    if (lead >= 0xc0) return length < sizeOfCharacter(lead) ? bytes.subarray(bytes.length - length) : nothing
  }
  return nothing
}

function sizeOfCharacter(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 0 // no character begins like this
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
}
