interface StreamedBlock {
  id: string
  kind: 'text' | 'reasoning' | 'tool'
  text: string
  /** It has come again, whole. */
  isTaken: boolean
}

/** The message that is being streamed, so that what comes again as a whole is not told twice. */
export class StreamedMessage {
  readonly #messageId: string
  readonly #blocks = new Map<number, StreamedBlock>()

  constructor(messageId: string) {
    this.#messageId = messageId
  }

  open(at: number, kind: StreamedBlock['kind'], id = `${this.#messageId}:${at}`): string {
    this.#blocks.set(at, { id, kind, text: '', isTaken: false })
    return id
  }

  at(at: number): StreamedBlock | undefined {
    return this.#blocks.get(at)
  }

  /** The streamed block of which this is the whole; undefined for one that was not streamed. */
  take(messageId: string | undefined, kind: StreamedBlock['kind']): StreamedBlock | undefined {
    if (messageId !== this.#messageId) return undefined
    const block = [...this.#blocks.values()].find((each) => each.kind === kind && !each.isTaken)
    if (block) block.isTaken = true
    return block
  }
}
