import type { AgentEvent, TurnEnd } from '../port.ts'
import { notice } from './decode.ts'
import type { ResultFrame } from './frame.ts'
import { endOf } from './result.ts'
import { SentMessages } from './sent-messages.ts'

/** A turn that is under way, with every message that is queued in it. */
export class Turn {
  readonly sent = new SentMessages()
  readonly over = Promise.withResolvers<TurnEnd>()
  isInterrupted = false
  #end: TurnEnd | undefined
  #patience: NodeJS.Timeout | undefined

  /** By the last result. Nothing but an interrupt ends a turn without one. */
  get end(): TurnEnd {
    return this.#end ?? { reason: 'interrupted', message: null }
  }

  get hasResult(): boolean {
    return this.#end !== undefined
  }

  settle(result: ResultFrame): AgentEvent[] {
    this.sent.answer(result)
    const before = this.#end
    // Whatever could not be taken back came to its end after that.
    if (before?.reason !== 'interrupted') this.#end = endOf(result)
    return before?.message && !this.isInterrupted ? [notice(before.message)] : []
  }

  /** Calls `onDeaf` when it goes on all the same. */
  interrupt(patienceMs: number, onDeaf: () => void): void {
    this.isInterrupted = true
    this.#patience ??= setTimeout(onDeaf, patienceMs)
  }

  /** The interrupt was refused. */
  goOn(): void {
    this.isInterrupted = false
    this.forgive()
  }

  /** Nobody waits any more for its end. */
  forgive(): void {
    clearTimeout(this.#patience)
    this.#patience = undefined
  }
}
