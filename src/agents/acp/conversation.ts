import { setTimeout as wait } from 'node:timers/promises'
import type { EnclosedAgent, Hands } from '../port.ts'
import { withoutSecrets } from '../secret-frames.ts'
import { formAsked, permissionAsked } from './approvals.ts'
import type { Asked } from './approvals.ts'
import type { BegunSession } from './begin.ts'
import type { Choices } from './choices.ts'
import { facts } from './choices.ts'
import { isHistory, notice } from './decode.ts'
import type { Decoder } from './decode.ts'
import { isObject, objectIn, textIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'
import type { Quirks } from './quirks.ts'
import { invalidParams, methodNotFound } from './rpc-error.ts'
import type { Meter } from './usage.ts'
import type { Voice } from './voice.ts'
import { Waiting } from './waiting.ts'
import { Wire } from './wire.ts'
import type { RequestId } from './wire.ts'

/** Once a loaded session is silent for so long its history is over; gemini tells most of it after it says that it has loaded. */
const quietMs = 250
const mostHistoryMs = 10_000

interface Reading {
  decoder: Decoder
  choices: Choices
  quirks: Quirks
}

/** What comes from the agent: read, understood and told. */
export class Conversation {
  readonly wire: Wire
  readonly waiting: Waiting
  readonly #voice: Voice
  #reading: Reading | undefined
  #sessionId: string | undefined
  #isHistory = true
  #lastHistory = 0
  #session: { isInterrupted: boolean } | undefined
  #meter: Meter | undefined
  #toldSteps = 1

  constructor(program: EnclosedAgent, voice: Voice, hands: Hands) {
    this.#voice = voice
    this.wire = new Wire(program, {
      onRequest: (id, method, params) => this.#asked(id, method, params),
      onNotification: (method, params) => this.#told(method, params),
      onMalformed: (what) => voice.skip(what),
      frame: withoutSecrets(hands.frame),
    })
    this.waiting = new Waiting(this.wire)
    void this.wire.closed.then(() => voice.tell(this.waiting.cancelAll('The agent is gone.')))
  }

  understand(reading: Reading): void {
    this.#reading = reading
  }

  /** Lets the history pass that comes with a session which is taken up again: it was told when it happened. */
  async settleOn(sessionId: string, began: BegunSession['began']): Promise<void> {
    this.#sessionId = sessionId
    const start = performance.now()
    this.#lastHistory = start
    while (began === 'loaded' || began === 'forked') {
      const now = performance.now()
      if (now - this.#lastHistory >= quietMs || now - start >= mostHistoryMs) break
      await wait(quietMs - (now - this.#lastHistory))
    }
    this.#isHistory = false
  }

  listenFor(session: { isInterrupted: boolean }, meter: Meter): void {
    this.#session = session
    this.#meter = meter
  }

  async #told(method: string, params: JsonObject): Promise<void> {
    if (method === '$/cancel_request') {
      const id = params['requestId'] as RequestId
      return this.#voice.tell(this.waiting.withdraw(id))
    }
    if (method !== 'session/update' || !this.#reading) return
    const { update } = params
    if (!isObject(update)) return this.#voice.skip('an update without content')
    // Those of its sub-agents have names of their own.
    if (this.#sessionId !== undefined && params['sessionId'] !== this.#sessionId) return
    await this.#update(update, this.#reading)
  }

  async #update(update: JsonObject, { decoder, choices }: Reading): Promise<void> {
    if (this.#isHistory && isHistory(update)) {
      this.#lastHistory = performance.now()
      return
    }
    switch (update['sessionUpdate']) {
      case 'usage_update': {
        if (!this.#meter) return
        if (!this.#meter.update(update)) return this.#voice.skip('an update that makes no sense')
        return this.#tellUsage(decoder)
      }
      case 'current_mode_update': {
        const mode = textIn(update, 'currentModeId')
        if (mode === undefined) return this.#voice.skip('an update that makes no sense')
        return this.#voice.tell(facts(choices.chosen('mode', mode)))
      }
      case 'config_option_update':
        return this.#voice.tell(facts(choices.take(update)))
    }
    const events = decoder.take(update)
    if (!events) return this.#voice.skip('an update that makes no sense')
    for (const event of events)
      if (event.type === 'session' && event.facts.mode) choices.chosen('mode', event.facts.mode)
    if (events.length > 0) await this.#voice.tell(events)
    if (decoder.steps !== this.#toldSteps) await this.#tellUsage(decoder)
  }

  /** Only in a turn: it is the turn's. */
  async #tellUsage(decoder: Decoder): Promise<void> {
    this.#toldSteps = decoder.steps
    if (!this.#meter || !this.#voice.isOpen) return
    await this.#voice.tell([{ type: 'usage', usage: this.#meter.read(decoder.steps) }])
  }

  async #asked(id: RequestId, method: string, params: JsonObject): Promise<void> {
    const reading = this.#reading
    const isPermission = method === 'session/request_permission'
    if (!reading || (!isPermission && method !== 'elicitation/create'))
      return this.wire.refuse(id, methodNotFound, `Method not found: ${method}`)
    const { decoder, quirks } = reading
    const toolCall = objectIn(params, 'toolCall')
    const toolCallId = textIn(toolCall, 'toolCallId') ?? ''
    const requestId = this.waiting.nextId()
    const asked = isPermission
      ? permissionAsked(id, requestId, params, decoder.tools.find(toolCallId), quirks)
      : formAsked(id, requestId, params)
    if (!asked) {
      this.wire.refuse(id, invalidParams, 'This cannot be asked of a person')
      return this.#voice.tell(notice(`The agent asked for something that nobody can be asked: ${method}.`))
    }
    // Whoever interrupts has answered all that is asked on the way to the end.
    if (this.#session?.isInterrupted || !this.#voice.isOpen) return this.wire.answer(id, asked.cancelled)
    if (!isAnswerable(asked)) {
      this.wire.answer(id, asked.cancelled)
      const { title } = asked.approval
      return this.#voice.tell(
        notice(`The agent offers no way to allow what it asks, and was told no: ${title}`),
      )
    }
    await this.#voice.tell([
      ...(isPermission ? decoder.askedAbout(toolCall, toolCallId) : []),
      ...this.waiting.add(asked),
    ])
  }
}

/** Whoever could only refuse need not be asked. */
const isAnswerable = ({ approval: { kind, options } }: Asked): boolean =>
  kind === 'question' || options.some((option) => option.kind.startsWith('allow'))
