import type { Usage } from '#contract/agent-event.ts'
import type { Frame, ResultFrame, StreamFrame, TokenCounts } from './frame.ts'
import { addUsage, nothingUsed, usageOf } from './result.ts'

const inputOf = (counts: TokenCounts = {}): number =>
  (counts.input_tokens ?? 0) +
  (counts.cache_creation_input_tokens ?? 0) +
  (counts.cache_read_input_tokens ?? 0)

/** What a turn uses: told as it goes, so that a limit can be held, and made exact by every result. */
export class Meter {
  #settled = nothingUsed
  #running = nothingUsed

  /** What this turn has used so far, when the frame tells more of it. */
  read(frame: Frame): Usage | undefined {
    if (frame.type === 'result') return this.#settle(frame as ResultFrame)
    if (frame.type !== 'stream_event' || frame.parent_tool_use_id) return undefined
    const { event } = frame as StreamFrame
    if (event.type === 'message_start') this.#begin(inputOf(event.message?.usage))
    else if (event.type === 'message_delta') this.#add(event.usage?.output_tokens ?? 0)
    else return undefined
    // What it costs is known only at the end.
    return { ...addUsage(this.#settled, this.#running), costUsd: null }
  }

  /** The next turn begins; what was used between the turns belongs to it. */
  forget(): void {
    this.#settled = nothingUsed
    this.#running = nothingUsed
  }

  #begin(input: number): void {
    const { inputTokens, outputTokens, steps = 0, costUsd } = this.#running
    this.#running = {
      inputTokens: inputTokens + input,
      outputTokens,
      steps: steps + 1,
      contextUsed: input,
      costUsd,
    }
  }

  #add(output: number): void {
    const { outputTokens, contextUsed = 0 } = this.#running
    this.#running = {
      ...this.#running,
      outputTokens: outputTokens + output,
      contextUsed: contextUsed + output,
    }
  }

  #settle(result: ResultFrame): Usage {
    const { inputTokens, outputTokens, steps: counted, contextUsed } = this.#running
    const told = usageOf(result)
    // Claude counts an interrupt, and the call that a limit forbade, as turns too.
    const steps = counted || told.steps
    // Of an answer that was cut off it tells nothing, though it was begun.
    const isCutOff = told.inputTokens === 0 && inputTokens > 0
    this.#running = nothingUsed
    this.#settled = addUsage(this.#settled, {
      ...told,
      ...(isCutOff && { inputTokens, outputTokens }),
      ...(steps !== undefined && { steps }),
      ...(contextUsed !== undefined && { contextUsed }),
    })
    return this.#settled
  }
}
