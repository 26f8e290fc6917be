import { mostPending } from './run.ts'
import type { RunLimits, RunMeter, TooMuch } from './run.ts'

/** A line costs more than its text: many that are empty are many. */
const lineBytes = 32

/** What a run has used of what it may use, and which of its calls are pending. */
export class Budget {
  readonly limits: RunLimits
  readonly meter: RunMeter
  /** With the bytes of their arguments. */
  readonly #pending: Map<number, number>
  #argumentBytes = 0

  constructor(limits: RunLimits, meter: RunMeter, calls: readonly number[]) {
    this.limits = limits
    this.meter = { ...meter }
    this.#pending = new Map(calls.map((call) => [call, 0]))
  }

  get calls(): number[] {
    return [...this.#pending.keys()]
  }

  get hasPending(): boolean {
    return this.#pending.size > 0
  }

  /** What it would be too much of; nothing, when it may. */
  ask(call: number, bytes: number): { what: TooMuch; limit: number } | undefined {
    const { calls, pending = mostPending, resultBytes } = this.limits
    this.meter.calls += 1
    this.#pending.set(call, bytes)
    this.#argumentBytes += bytes
    if (this.meter.calls > calls) return { what: 'calls', limit: calls }
    if (this.#pending.size > pending) return { what: 'pending', limit: pending }
    if (this.#argumentBytes > resultBytes) return { what: 'arguments', limit: resultBytes }
    return undefined
  }

  /** False when nobody waits for it. */
  settle(call: number): boolean {
    this.#argumentBytes -= this.#pending.get(call) ?? 0
    return this.#pending.delete(call)
  }

  get logBytesLeft(): number {
    return this.limits.logBytes - this.meter.logBytes
  }

  say(bytes: number): void {
    this.meter.logBytes += bytes + lineBytes
  }
}
