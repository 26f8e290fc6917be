import type { Usage } from '#contract/agent-event.ts'
import type { Frame, ResultFrame, StreamFrame } from './frame.ts'
import { addUsage, nothingUsed, usageOf } from './result.ts'
import { SubAgentTokens, inputOf } from './sub-agent-tokens.ts'

/** What a turn uses: told as it goes, so that a limit can be held, and made exact by every result. */
export class Meter {
  #subAgents = new SubAgentTokens()
  #settled = nothingUsed
  #running = nothingUsed
  /** In dollars, as far as they are known: what results have told, and what has been spent since the last of them. */
  #settledCost: number | null = null
  #runningCost: number | null = null
  /** Of the whole session, at the last result. */
  #sessionCost: number | undefined

  /** What the session has cost before; unknown for one that goes on, until Claude tells. */
  constructor(sessionCost?: number) {
    this.#sessionCost = sessionCost
  }

  /** What this turn has used so far, when the frame tells more of it. */
  read(frame: Frame): Usage | undefined {
    if (frame.type === 'result') return this.#settle(frame as ResultFrame)
    const ofSubAgent = this.#subAgents.read(frame)
    if (ofSubAgent) this.#add(ofSubAgent.input, ofSubAgent.output)
    else if (frame.parent_tool_use_id || !this.#readMain(frame)) return undefined
    return this.#used
  }

  /** What the session has cost so far, from its very beginning. Before the first turn it says where to count from. */
  readSessionCost(dollars: number): Usage | undefined {
    if (this.#sessionCost === undefined) {
      this.#sessionCost = dollars
      return undefined
    }
    const since = dollars - this.#sessionCost
    if (since <= (this.#runningCost ?? 0)) return undefined
    this.#runningCost = since
    return this.#used
  }

  /** The next turn begins; what was used between the turns belongs to it. */
  forget(): void {
    this.#settled = nothingUsed
    this.#running = nothingUsed
    this.#settledCost = null
    this.#runningCost = null
  }

  get #used(): Usage {
    const isKnown = this.#settledCost !== null || this.#runningCost !== null
    const costUsd = isKnown ? rounded((this.#settledCost ?? 0) + (this.#runningCost ?? 0)) : null
    return { ...addUsage(this.#settled, this.#running), costUsd }
  }

  #readMain(frame: Frame): boolean {
    if (frame.type !== 'stream_event') return false
    const { event } = frame as StreamFrame
    if (event.type === 'message_start') {
      const input = inputOf(event.message?.usage)
      this.#add(input, 0)
      this.#running = { ...this.#running, steps: (this.#running.steps ?? 0) + 1, contextUsed: input }
      return true
    }
    if (event.type !== 'message_delta') return false
    const output = event.usage?.output_tokens ?? 0
    this.#add(0, output)
    this.#running = { ...this.#running, contextUsed: (this.#running.contextUsed ?? 0) + output }
    return true
  }

  #add(input: number, output: number): void {
    const { inputTokens, outputTokens } = this.#running
    this.#running = {
      ...this.#running,
      inputTokens: inputTokens + input,
      outputTokens: outputTokens + output,
    }
  }

  #settle(result: ResultFrame): Usage {
    const { inputTokens, outputTokens, steps: counted, contextUsed } = this.#running
    const told = usageOf(result)
    // Claude counts an interrupt, and the call that a limit forbade, as turns too.
    const steps = counted || told.steps
    // Of an answer that was cut off it tells nothing, though it was begun.
    const isCutOff = told.inputTokens === 0 && inputTokens > 0
    this.#settled = addUsage(this.#settled, {
      ...told,
      ...(isCutOff && { inputTokens, outputTokens }),
      ...(steps !== undefined && { steps }),
      ...(contextUsed !== undefined && { contextUsed }),
    })
    const cost = isCutOff ? (this.#runningCost ?? 0) : (told.costUsd ?? 0)
    this.#settledCost = (this.#settledCost ?? 0) + cost
    this.#running = nothingUsed
    this.#runningCost = null
    if (typeof result.total_cost_usd === 'number') this.#sessionCost = result.total_cost_usd
    return this.#used
  }
}

/** Differences of fractions of cents are not exact. */
const rounded = (dollars: number): number => Math.round(dollars * 1e9) / 1e9
