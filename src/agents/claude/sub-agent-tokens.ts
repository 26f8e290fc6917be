import { isRecord } from './frame.ts'
import type { Frame, MessageFrame, StreamFrame, TokenCounts } from './frame.ts'

export interface Tokens {
  input: number
  output: number
}

/** What sub-agents use: some of their calls are streamed, some only come whole, and of some only a sum is told. */
export class SubAgentTokens {
  readonly #counted = new Map<string, number>()
  readonly #messages = new Set<string>()

  /** What was used that is not counted yet, when the frame tells of any. */
  read(frame: Frame): Tokens | undefined {
    const { parent_tool_use_id: parent } = frame
    const news = parent ? this.#news(frame) : undefined
    if (parent && news) return this.#count(parent, news)
    const { usage, tool_use_id: id } = frame
    if (frame.type !== 'system' || !isRecord(usage) || typeof id !== 'string') return undefined
    const more = Number(usage['total_tokens']) - (this.#counted.get(id) ?? 0)
    return more > 0 ? this.#count(id, { input: more, output: 0 }) : undefined
  }

  #news(frame: Frame): Tokens | undefined {
    if (frame.type === 'stream_event') {
      const { event } = frame as StreamFrame
      if (event.type === 'message_delta') return { input: 0, output: event.usage?.output_tokens ?? 0 }
      return event.type === 'message_start'
        ? this.#message(event.message?.id, event.message?.usage)
        : undefined
    }
    if (frame.type !== 'assistant') return undefined
    const { id, usage } = (frame as MessageFrame).message
    const begun = this.#message(id, usage)
    return begun && { ...begun, output: usage?.output_tokens ?? 0 }
  }

  /** A message comes once for each of its blocks. */
  #message(id = '', usage: TokenCounts | undefined): Tokens | undefined {
    if (this.#messages.has(id)) return undefined
    this.#messages.add(id)
    return { input: inputOf(usage), output: 0 }
  }

  #count(agent: string, { input, output }: Tokens): Tokens {
    this.#counted.set(agent, (this.#counted.get(agent) ?? 0) + input + output)
    return { input, output }
  }
}

export const inputOf = (counts: TokenCounts = {}): number =>
  (counts.input_tokens ?? 0) +
  (counts.cache_creation_input_tokens ?? 0) +
  (counts.cache_read_input_tokens ?? 0)
