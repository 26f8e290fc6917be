import type { Usage } from '#contract/agent-event.ts'
import type { Controls } from './controls.ts'
import { isRecord } from './frame.ts'
import type { Meter } from './meter.ts'

const patienceMs = 2_000

/**
 * What Claude Code says that its session has cost so far, with all that it was resumed or forked from. What a call of the model cost
 * is in the result of the turn: too late for a limit, and never if it is killed. So it is asked after every call. It answers in
 * words, which are rounded; what answers in figures asks the account's server as well.
 */
export class SessionCost {
  readonly #controls: Controls
  readonly #meter: Meter
  #isAsking = false

  constructor(controls: Controls, meter: Meter) {
    this.#controls = controls
    this.#meter = meter
  }

  /** What the turn has used by now, if that is news. One that does not tell is not asked again. */
  async ask(): Promise<Usage | undefined> {
    if (this.#isAsking) return undefined
    this.#isAsking = true
    const outcome = await this.#controls.ask('get_session_cost', {}, patienceMs)
    const told = 'response' in outcome && isRecord(outcome.response) ? String(outcome.response['text']) : ''
    const dollars = Number(/Total cost:\s*\$([\d,.]+)/.exec(told)?.[1]?.replaceAll(',', ''))
    if (!Number.isFinite(dollars)) return undefined
    this.#isAsking = false
    return this.#meter.readSessionCost(dollars)
  }
}
