import type { ApprovalAnswer, Prompt } from '#contract/agent-event.ts'
import type { CommandOutcome } from '#contract/keeper.ts'
import type { ProgramEnd } from '#lib/program.ts'
import { deafEnd, deafGraceMs, soon } from '../interrupt.ts'
import type { EnclosedAgent, Instruction, Say, SessionAgent, TurnEnd } from '../port.ts'
import { turnBegins, turnEnds } from '../turn-chunks.ts'
import { describeFailure } from './failure.ts'
import type { Fields } from './fields.ts'
import { listOf, textOf } from './fields.ts'
import type { Ears, Turn } from './ears.ts'
import type { Mode } from './modes.ts'
import { isMode, modeNames, modesOffered, policyOf } from './modes.ts'
import { NotTaken, inputOf } from './prompt.ts'
import type { Rpc } from './rpc.ts'
import { RpcError } from './rpc.ts'

const patienceMs = 10_000
/** Between a command's end and Codex's word of it. */
const lastWordMs = 2_000

interface Parts {
  program: EnclosedAgent
  rpc: Rpc
  ears: Ears
  threadId: string
  mode: Mode
  /** Where paths in messages begin. */
  root: string
  /** How long an interrupt may go unanswered. */
  interruptMs: number
}

/** A Codex that lives and holds a thread. */
export class CodexSession implements SessionAgent {
  readonly pid: number
  readonly exited: Promise<ProgramEnd>
  readonly stop: (graceMs: number) => Promise<boolean>
  readonly #rpc: Rpc
  readonly #ears: Ears
  readonly #threadId: string
  readonly #root: string
  readonly #interruptMs: number
  readonly #queued: Prompt[] = []
  #mode: Mode
  #model: string | undefined
  #isBusy = false

  constructor({ program, rpc, ears, threadId, mode, root, interruptMs }: Parts) {
    this.pid = program.pid
    this.exited = program.exited
    this.stop = program.end
    this.#rpc = rpc
    this.#ears = ears
    this.#threadId = threadId
    this.#mode = mode
    this.#root = root
    this.#interruptMs = interruptMs
  }

  async turn(prompt: Prompt, say: Say): Promise<TurnEnd> {
    this.#isBusy = true
    // Whoever hears of the turn can interrupt it.
    const ended = this.#ears.beginTurn()
    await this.#ears.outlet.open(say)
    await this.#ears.outlet.tell([turnBegins])
    let end = await this.#run(prompt, ended)
    for (let next = this.#next(end); next; next = this.#next(end)) end = await this.#run(next)
    this.#isBusy = false
    const unsent = this.#queued.splice(0).length
    if (unsent > 0)
      await this.#ears.note(`${unsent} message(s) that waited for the end of this turn were not sent`)
    await this.#ears.outlet.close(turnEnds(end))
    return end
  }

  async tell(instruction: Instruction): Promise<CommandOutcome> {
    switch (instruction.type) {
      case 'message':
        return this.#message(instruction.payload)
      case 'answer':
        return this.#answer(instruction.payload)
      case 'interrupt':
        return this.#interrupt()
      case 'mode':
        return this.#choose(instruction.payload)
    }
  }

  /** After an interrupt or a failure nothing more is begun by itself. */
  #next(end: TurnEnd): Prompt | undefined {
    return end.reason === 'completed' ? this.#queued.shift() : undefined
  }

  async #run(prompt: Prompt, ended = this.#ears.beginTurn()): Promise<TurnEnd> {
    try {
      const started = this.#rpc.request('turn/start', {
        threadId: this.#threadId,
        input: inputOf(prompt, this.#root),
        approvalPolicy: policyOf(this.#mode),
        ...(this.#model && { model: this.#model }),
      })
      const answer = await Promise.race([started, ended])
      if ('turn' in answer) this.#ears.turnStarted(answer['turn'])
    } catch (error) {
      return this.#close({ reason: 'failed', message: messageOf(error) })
    }
    const { status, error, isDeaf } = await ended
    if (isDeaf) {
      await this.stop(deafGraceMs)
      return this.#close(deafEnd(this.#interruptMs))
    }
    if (status !== 'completed') await this.#endLeftovers()
    if (status === 'completed') return this.#close({ reason: 'completed', message: null })
    if (status === 'interrupted')
      return this.#close({ reason: 'interrupted', message: error ? describeFailure(error) : null })
    return this.#close({ reason: 'failed', message: error ? describeFailure(error) : null })
  }

  async #close(end: TurnEnd): Promise<TurnEnd> {
    await this.#ears.endTurn(end.reason)
    return end
  }

  /** A command that was interrupted keeps running in Codex until somebody ends it. Those of earlier turns were meant to. */
  async #endLeftovers(): Promise<void> {
    const { tools } = this.#ears.decoder
    try {
      const listed = await this.#ask('thread/backgroundTerminals/list', {})
      const left = listOf(listed['data']).filter(({ itemId }) => tools.isOpen(textOf(itemId) ?? ''))
      const over = left.map(({ itemId }) => this.#ears.completed(String(itemId), lastWordMs))
      for (const { processId } of left) await this.#ask('thread/backgroundTerminals/terminate', { processId })
      await Promise.all(over)
      if (left.some(({ itemId }) => tools.isOpen(String(itemId))))
        await this.#ask('thread/backgroundTerminals/clean', {})
    } catch (error) {
      if (this.#rpc.isOver) return
      await this.#ears.note(`What the turn left running could not be ended: ${messageOf(error)}`)
    }
  }

  async #message(prompt: Prompt): Promise<CommandOutcome> {
    if (!this.#isBusy) return refused('No turn is under way.')
    const turnId = await this.#ears.turnId()
    try {
      const input = inputOf(prompt, this.#root)
      if (turnId) {
        await this.#ask('turn/steer', { input, expectedTurnId: turnId })
        return { outcome: 'delivered', how: 'steered' }
      }
    } catch (error) {
      // It cannot be steered: it is over, or it is one of those that take no messages.
      if (!(error instanceof RpcError)) return refused(messageOf(error))
    }
    if (!this.#isBusy) return refused('The turn ended before the message arrived.')
    this.#queued.push(prompt)
    return { outcome: 'delivered', how: 'queued' }
  }

  async #answer(answer: ApprovalAnswer): Promise<CommandOutcome> {
    if (this.#rpc.isOver) return refused('Codex is gone.')
    const { events = [], ...outcome } = this.#ears.pending.answer(answer)
    await this.#ears.outlet.tell(events)
    return outcome
  }

  async #interrupt(): Promise<CommandOutcome> {
    const turn = this.#isBusy ? this.#ears.turn : undefined
    if (!turn) return refused('No turn is under way.')
    const outcome = await soon(this.#askInterrupt(turn))
    if (outcome.outcome === 'delivered') this.#ears.expectEnd(turn, this.#interruptMs)
    return outcome
  }

  async #askInterrupt(turn: Turn): Promise<CommandOutcome> {
    const turnId = await turn.id.promise
    if (!turnId) return refused('No turn is under way.')
    try {
      await this.#ask('turn/interrupt', { turnId })
      return { outcome: 'delivered' }
    } catch (error) {
      return refused(messageOf(error))
    }
  }

  /** Holds from the next turn on. */
  async #choose({ model, mode }: { model?: string; mode?: string }): Promise<CommandOutcome> {
    if (mode !== undefined && !isMode(mode))
      return refused(`Codex has no mode ${mode}; there are ${modeNames}.`)
    if (mode !== undefined) this.#mode = mode
    if (model) this.#model = model
    const facts = { mode: this.#mode, modes: modesOffered(this.#mode), ...(model && { model }) }
    await this.#ears.outlet.tell([{ type: 'session', facts }])
    return { outcome: 'delivered', ...(this.#isBusy && { how: 'queued' as const }) }
  }

  #ask(method: string, params: Fields): Promise<Fields> {
    return this.#rpc.request(method, { threadId: this.#threadId, ...params }, patienceMs)
  }
}

const refused = (reason: string): CommandOutcome => ({ outcome: 'refused', reason })

const messageOf = (error: unknown): string =>
  error instanceof NotTaken || error instanceof Error ? error.message : String(error)
