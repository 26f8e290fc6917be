import { randomUUID } from 'node:crypto'
import type { ControlResponse } from './frame.ts'

export type ControlOutcome = { response: unknown } | { error: string }

const patienceMs = 30_000

/** What we ask of Claude Code itself, not of its model: it answers each by the id. */
export class Controls {
  readonly #send: (frame: unknown) => void
  readonly #open = new Map<string, (outcome: ControlOutcome) => void>()
  #gone: string | undefined

  constructor(send: (frame: unknown) => void) {
    this.#send = send
  }

  /** Never rejects. */
  ask(subtype: string, fields: Record<string, unknown> = {}, waitMs = patienceMs): Promise<ControlOutcome> {
    if (this.#gone !== undefined) return Promise.resolve({ error: this.#gone })
    const id = randomUUID()
    const { promise, resolve } = Promise.withResolvers<ControlOutcome>()
    const error = `Claude Code did not answer within ${waitMs / 1000} s`
    const timer = setTimeout(() => this.#settle(id, { error }), waitMs)
    this.#open.set(id, (outcome) => {
      clearTimeout(timer)
      resolve(outcome)
    })
    this.#send({ type: 'control_request', request_id: id, request: { subtype, ...fields } })
    return promise
  }

  take({ response }: ControlResponse): void {
    const isDone = response.subtype === 'success'
    this.#settle(
      response.request_id,
      isDone ? { response: response.response } : { error: response.error ?? 'Claude Code refused' },
    )
  }

  /** It is gone: whatever is still asked, and will be, is not answered. */
  fail(why: string): void {
    this.#gone = why
    for (const id of this.#open.keys()) this.#settle(id, { error: why })
  }

  #settle(id: string, outcome: ControlOutcome): void {
    this.#open.get(id)?.(outcome)
    this.#open.delete(id)
  }
}
