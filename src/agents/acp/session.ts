import type { Prompt } from '#contract/agent-event.ts'
import type { CommandOutcome } from '#contract/keeper.ts'
import { deafEnd, deafGraceMs } from '../interrupt.ts'
import type { Instruction, Say, SessionAgent, TurnEnd } from '../port.ts'
import { turnBegins, turnEnds } from '../turn-chunks.ts'
import type { AgentProcess } from './agent-process.ts'
import { facts } from './choices.ts'
import type { Choices } from './choices.ts'
import { chunks, notice } from './decode.ts'
import type { Decoder } from './decode.ts'
import { isObject, textIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'
import { NotTaken, promptBlocks } from './prompt.ts'
import { Gone, RpcError } from './rpc-error.ts'
import type { Meter } from './usage.ts'
import type { Voice } from './voice.ts'
import type { Waiting } from './waiting.ts'
import type { Wire } from './wire.ts'

export interface SessionParts {
  sessionId: string
  /** Of the workspace: files of a prompt are within it. */
  root: string
  agentCapabilities: JsonObject
  process: AgentProcess
  wire: Wire
  voice: Voice
  decoder: Decoder
  choices: Choices
  meter: Meter
  waiting: Waiting
  /** How long an interrupt may go unanswered. */
  interruptMs: number
}

const choiceMs = 30_000
const noResult = 'No result was told'

/** One that lives and holds a session. */
export class AcpSession implements SessionAgent {
  readonly pid: number
  readonly exited: SessionAgent['exited']
  readonly #parts: SessionParts
  #queue: Prompt[] = []
  #isInTurn = false
  #isInterrupted = false
  #isPrompting = false
  #wasRefused = false
  #hanging = Promise.withResolvers<'hanging'>()
  #hangTimer: NodeJS.Timeout | undefined

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.pid = parts.process.program.pid
    this.exited = parts.process.program.exited
  }

  get isInterrupted(): boolean {
    return this.#isInterrupted
  }

  async turn(prompt: Prompt, say: Say): Promise<TurnEnd> {
    const { voice, decoder, meter, waiting } = this.#parts
    this.#isInTurn = true
    this.#isInterrupted = false
    this.#hanging = Promise.withResolvers()
    decoder.beginTurn()
    meter.beginTurn()
    await voice.open(say)
    await voice.tell([turnBegins])
    let end = await this.#prompt(prompt)
    for (let next = this.#next(end); next; next = this.#next(end)) end = await this.#prompt(next)
    this.#isInTurn = false
    clearTimeout(this.#hangTimer)
    this.#hangTimer = undefined
    await voice.close([
      ...waiting.cancelAll('The turn is over.'),
      ...this.#queue
        .splice(0)
        .flatMap(({ text }) => notice(`Not sent, because the turn ended before: ${text}`)),
      ...turnEnds(end),
    ])
    return end
  }

  async tell(instruction: Instruction): Promise<CommandOutcome> {
    switch (instruction.type) {
      case 'message':
        return this.#enqueue(instruction.payload)
      case 'answer': {
        const { refusedTool, events = [], ...outcome } = this.#parts.waiting.answer(instruction.payload)
        await this.#parts.voice.tell(events)
        if (refusedTool === undefined) return outcome
        this.#wasRefused = true
        await this.#parts.voice.tell(this.#parts.decoder.denied(refusedTool))
        return outcome
      }
      case 'interrupt':
        return this.#interrupt()
      case 'mode':
        return this.#choose(instruction.payload)
    }
  }

  stop(graceMs: number): Promise<boolean> {
    const { program } = this.#parts.process
    program.stdin?.end()
    return program.end(graceMs)
  }

  /** The next message that was queued, as long as all goes well. Once there is none, none is taken any more. */
  #next(end: TurnEnd): Prompt | undefined {
    const next = end.reason === 'completed' && !this.#isInterrupted ? this.#queue.shift() : undefined
    this.#isInTurn = next !== undefined
    return next
  }

  /** One prompt at a time: to some agents a second one means that the first is to be cancelled. */
  #enqueue(prompt: Prompt): CommandOutcome {
    if (!this.#isInTurn) return { outcome: 'refused', reason: 'The turn is over.' }
    try {
      promptBlocks(prompt, this.#parts.agentCapabilities, this.#parts.root)
    } catch (error) {
      if (error instanceof NotTaken) return { outcome: 'refused', reason: error.message }
      throw error
    }
    this.#queue.push(prompt)
    return { outcome: 'delivered', how: 'queued' }
  }

  async #prompt(prompt: Prompt): Promise<TurnEnd> {
    const { wire, voice, decoder, meter, sessionId, agentCapabilities, root } = this.#parts
    this.#wasRefused = false
    await voice.tell(chunks([{ type: 'start-step' }]))
    let end: TurnEnd
    try {
      if (this.#isInterrupted) throw new NotTaken('Interrupted before it began')
      const blocks = promptBlocks(prompt, agentCapabilities, root)
      const answered = wire.request('session/prompt', { sessionId, prompt: blocks })
      this.#isPrompting = true
      const result = await Promise.race([answered, this.#hanging.promise])
      answered.catch(() => undefined)
      if (result === 'hanging') end = await this.#endHanging()
      else {
        meter.endPrompt(result)
        end = this.#endOf(result)
      }
    } catch (error) {
      end = await this.#failed(error)
    }
    this.#isPrompting = false
    const why = end.reason === 'interrupted' ? 'Interrupted before a result was told' : noResult
    await voice.tell([
      ...decoder.close(why),
      { type: 'usage', usage: meter.read(decoder.steps) },
      ...chunks([{ type: 'finish-step' }]),
    ])
    return end
  }

  #endOf(result: unknown): TurnEnd {
    const stopReason = isObject(result) ? textIn(result, 'stopReason') : undefined
    const { systemError } = this.#parts.decoder
    // Some call it a normal end also after a cancel.
    if (this.#isInterrupted) return { reason: 'interrupted', message: null }
    if (systemError !== undefined)
      return { reason: 'failed', message: new RpcError({ message: systemError }).message }
    if (stopReason === 'end_turn') return { reason: 'completed', message: null }
    if (stopReason === 'cancelled')
      // To codex-acp a refusal is the end of the turn, and that is no interrupt.
      return { reason: this.#wasRefused ? 'completed' : 'interrupted', message: null }
    return { reason: 'failed', message: stopReasons[stopReason ?? ''] ?? `The agent stopped: ${stopReason}` }
  }

  async #failed(error: unknown): Promise<TurnEnd> {
    if (error instanceof Gone) {
      void this.stop(deafGraceMs) // its process may live on without its output, of no use to anyone
      return { reason: 'failed', message: await this.#parts.process.lastWords() }
    }
    if (this.#isInterrupted) return { reason: 'interrupted', message: null }
    return { reason: 'failed', message: error instanceof Error ? error.message : String(error) }
  }

  /** It is of no use any more, and the next turn would hear what this one still says. */
  async #endHanging(): Promise<TurnEnd> {
    await this.stop(deafGraceMs)
    return deafEnd(this.#parts.interruptMs)
  }

  async #interrupt(): Promise<CommandOutcome> {
    const { wire, voice, waiting, sessionId, interruptMs } = this.#parts
    if (!this.#isInTurn) return { outcome: 'refused', reason: 'The turn is over.' }
    this.#isInterrupted = true
    if (this.#isPrompting) wire.notify('session/cancel', { sessionId })
    this.#hangTimer ??= setTimeout(() => this.#hanging.resolve('hanging'), interruptMs)
    // Whoever interrupts does not wait until there is room for more.
    void voice.tell(waiting.cancelAll('The turn was interrupted.'))
    return { outcome: 'delivered' }
  }

  async #choose(wanted: { model?: string; mode?: string }): Promise<CommandOutcome> {
    for (const what of ['model', 'mode'] as const) {
      const id = wanted[what]
      if (id === undefined) continue
      const reason = await choose(this.#parts, what, id)
      if (reason !== undefined) return { outcome: 'refused', reason }
    }
    return { outcome: 'delivered' }
  }
}

/** Why it could not be chosen; undefined when it was. Never rejects. */
export async function choose(
  { wire, voice, choices, sessionId }: Pick<SessionParts, 'wire' | 'voice' | 'choices' | 'sessionId'>,
  what: 'model' | 'mode',
  id: string,
): Promise<string | undefined> {
  if (choices.current(what) === id) return undefined
  const request = choices.choose(what, id)
  if (!request) return `This agent offers no ${what}s to choose from.`
  try {
    const told = await inTime(wire.request(request.method, { sessionId, ...request.params }))
    const chosen = choices.chosen(what, id)
    const all = isObject(told) && Array.isArray(told['configOptions']) ? choices.take(told) : chosen
    await voice.tell(facts(all))
    return undefined
  } catch (error) {
    return `The agent does not take the ${what} ${id}: ${error instanceof Error ? error.message : String(error)}`
  }
}

async function inTime(answer: Promise<unknown>): Promise<unknown> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${choiceMs / 1000} s`)), choiceMs)
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer))
}

const stopReasons: Record<string, string> = {
  '': 'The agent ended its turn without saying how',
  max_tokens: 'The agent reached the most tokens that it may use',
  max_turn_requests: 'The agent reached the most requests that it may make in a turn',
  refusal: 'The model refused to go on',
}
