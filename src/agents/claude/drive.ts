import { randomUUID } from 'node:crypto'
import type { ApprovalAnswer, Prompt } from '#contract/agent-event.ts'
import type { CommandOutcome } from '#contract/keeper.ts'
import type { ProgramEnd } from '#lib/program.ts'
import { deafEnd, deafGraceMs, soon } from '../interrupt.ts'
import { Outlet } from '../outlet.ts'
import type { AgentEvent, EnclosedAgent, Hands, Instruction, Say, SessionAgent, TurnEnd } from '../port.ts'
import { turnBegins, turnEnds } from '../turn-chunks.ts'
import { Controls } from './controls.ts'
import type { ControlOutcome } from './controls.ts'
import { Decoder, notice } from './decode.ts'
import { isRecord, parseFrame } from './frame.ts'
import type { ControlRequest, ControlResponse, Frame, ResultFrame, StreamFrame } from './frame.ts'
import { Meter } from './meter.ts'
import { contentOf } from './prompt.ts'
import { Questions } from './questions.ts'
import { endOf } from './result.ts'
import { SessionCost } from './session-cost.ts'
import { Switches } from './switches.ts'
import { Turn } from './turn.ts'
import { openWire } from './wire.ts'
import type { Wire } from './wire.ts'

const gone = 'The agent is gone.'

interface Wanted {
  model: string | null
  /** Nothing was spent in it before. */
  isNew: boolean
  /** How long an interrupt may go unanswered. */
  interruptMs: number
}

const refused = (reason: string): CommandOutcome => ({ outcome: 'refused', reason })

/** A Claude Code that lives, from turn to turn. */
export class ClaudeAgent implements SessionAgent {
  readonly pid: number
  readonly exited: Promise<ProgramEnd>
  readonly #running: EnclosedAgent
  readonly #wire: Wire
  readonly #controls: Controls
  readonly #decoder = new Decoder()
  readonly #meter: Meter
  readonly #cost: SessionCost
  readonly #switches: Switches
  readonly #outlet = new Outlet()
  readonly #questions: Questions
  readonly #interruptMs: number
  #turn: Turn | undefined
  #malformed = 0
  #failure = ''
  #isGone = false
  /** It did not hear an interrupt, and is being ended. */
  #deaf: Promise<boolean> | undefined

  constructor(running: EnclosedAgent, hands: Hands, { model, isNew, interruptMs }: Wanted) {
    this.#meter = new Meter(isNew ? 0 : undefined)
    this.#running = running
    this.#interruptMs = interruptMs
    this.pid = running.pid
    this.exited = running.exited
    const send = (frame: unknown) => this.#wire.send(frame)
    this.#controls = new Controls(send)
    this.#cost = new SessionCost(this.#controls, this.#meter)
    this.#switches = new Switches(this.#controls, model, (facts) => this.learn(facts))
    this.#questions = new Questions(send, (toolCallId) => this.#decoder.inputOf(toolCallId))
    this.#wire = openWire(running, hands.frame, {
      line: (line) => this.#read(line),
      error: (line) =>
        this.#tell({ type: 'data-terminal', stream: 'stderr', bytes: Buffer.from(`${line}\n`) }),
      tooLong: (bytes) => void this.#tell(this.#skip(`one of ${bytes} bytes`)),
    })
    void this.#wire.ended.then(() => this.#die())
  }

  /** What Claude says before any turn; or why it does not begin. */
  async initialize(): Promise<ControlOutcome> {
    const outcome = await this.#controls.ask('initialize', {}, 60_000)
    if ('response' in outcome) return outcome
    return { error: this.#failure || this.#wire.tail() || outcome.error }
  }

  /** What its session has cost before: from there it counts on. */
  async learnCost(): Promise<void> {
    await this.#cost.ask()
  }

  learn(facts: Parameters<Decoder['learn']>[0]): void {
    for (const event of this.#decoder.learn(facts)) void this.#tell(event)
  }

  async turn(prompt: Prompt, say: Say): Promise<TurnEnd> {
    const message = contentOf(prompt)
    if ('refused' in message) return { reason: 'failed', message: message.refused }
    const turn = new Turn()
    this.#turn = turn
    void say(turnBegins)
    void this.#outlet.open(say)
    if (this.#isGone) await this.#finish({ reason: 'failed', message: gone })
    else this.#send(turn, message.content)
    return turn.over.promise
  }

  async tell(instruction: Instruction): Promise<CommandOutcome> {
    if (this.#isGone) return refused(gone)
    switch (instruction.type) {
      case 'message':
        return this.#queue(instruction.payload)
      case 'answer':
        return this.#answer(instruction.payload)
      case 'interrupt':
        return this.#interrupt()
      case 'mode':
        return outcomeOf(await this.#switches.to(instruction.payload, this.#decoder.facts))
    }
  }

  stop(graceMs: number): Promise<boolean> {
    this.#running.stdin?.end()
    return this.#running.end(graceMs)
  }

  #send(turn: Turn, content: unknown): void {
    const uuid = randomUUID()
    turn.sent.add(uuid)
    this.#wire.send({ type: 'user', uuid, message: { role: 'user', content }, parent_tool_use_id: null })
  }

  #queue(prompt: Prompt): CommandOutcome {
    if (!this.#turn) return refused('No turn is under way.')
    if (this.#turn.isInterrupted) return refused('The turn is being interrupted.')
    const message = contentOf(prompt)
    if ('refused' in message) return refused(message.refused)
    this.#send(this.#turn, message.content)
    return { outcome: 'delivered', how: 'queued' }
  }

  async #answer(answer: ApprovalAnswer): Promise<CommandOutcome> {
    const { events = [], ...outcome } = this.#questions.answer(answer)
    await this.#outlet.tell(events)
    return outcome
  }

  /** The turn with all that waits in it: what Claude has not begun with is taken back first. */
  async #interrupt(): Promise<CommandOutcome> {
    const turn = this.#turn
    if (!turn) return refused('No turn is under way.')
    const isFirst = !turn.isInterrupted
    turn.interrupt(this.#interruptMs, () => {
      this.#deaf = this.stop(deafGraceMs)
    })
    for (const id of turn.sent.waiting) void this.#takeBack(id)
    const outcome = await soon(this.#askInterrupt())
    if (isFirst && outcome.outcome === 'refused') turn.goOn()
    return outcome
  }

  async #askInterrupt(): Promise<CommandOutcome> {
    const outcome = await this.#controls.ask('interrupt')
    return outcomeOf('error' in outcome ? outcome.error : undefined)
  }

  async #takeBack(id: string): Promise<void> {
    const outcome = await this.#controls.ask('cancel_async_message', { message_uuid: id })
    const isTaken =
      'response' in outcome && isRecord(outcome.response) && outcome.response['cancelled'] === true
    if (isTaken && this.#turn)
      void this.#tell(notice('A message was not run: the turn was interrupted before'))
  }

  async #read(line: string): Promise<void> {
    const frame = parseFrame(line)
    try {
      const events = frame ? this.#take(frame) : [this.#skip(line)]
      for (const event of events) await this.#tell(event)
    } catch {
      await this.#tell(this.#skip(line))
    }
    if (!this.#deaf && this.#turn?.sent.areDone) await this.#finish(this.#turn.end)
  }

  #take(frame: Frame): AgentEvent[] {
    const usage = this.#meter.read(frame)
    const used: AgentEvent[] = usage ? [{ type: 'usage', usage }] : []
    switch (frame.type) {
      case 'control_request':
        return this.#questions.ask(frame as ControlRequest)
      case 'control_cancel_request':
        return this.#questions.withdraw(String(frame['request_id']), this.#whyWithdrawn)
      case 'control_response':
        this.#controls.take(frame as ControlResponse)
        return []
      case 'command_lifecycle':
        this.#turn?.sent.note(String(frame['command_uuid']), String(frame['state']))
        return []
      case 'result':
        return [...this.#settle(frame as ResultFrame), ...used]
      default:
        if (frame.subtype === 'init') this.#interruptAgain()
        if ((frame as StreamFrame).event?.type === 'message_stop') void this.#askCost()
        return [...this.#decoder.decode(frame), ...used]
    }
  }

  #settle(result: ResultFrame): AgentEvent[] {
    this.#failure = endOf(result).message ?? ''
    return this.#turn?.settle(result) ?? []
  }

  /** A message that could not be taken back has begun. */
  #interruptAgain(): void {
    if (this.#turn?.isInterrupted && this.#turn.hasResult) void this.#controls.ask('interrupt')
  }

  get #whyWithdrawn(): string {
    return this.#turn?.isInterrupted ? 'The turn was interrupted' : 'The agent does not wait for it any more'
  }

  async #askCost(): Promise<void> {
    const usage = await this.#cost.ask()
    if (usage && this.#turn) await this.#tell({ type: 'usage', usage })
  }

  #skip(line: string): AgentEvent {
    this.#malformed += 1
    const text = `Skipped a line of Claude Code's that is no message (${this.#malformed} so far): ${line.slice(0, 200)}`
    return notice(text, { malformed: this.#malformed })
  }

  async #finish(end: TurnEnd): Promise<void> {
    const turn = this.#turn
    if (!turn) return
    turn.forgive()
    const withdrawn = this.#questions.closeAll(this.#whyWithdrawn)
    // From here on nothing more is taken into this turn.
    this.#turn = undefined
    this.#meter.forget()
    const why = end.reason === 'interrupted' ? 'Interrupted' : 'The turn ended before this did'
    await this.#outlet.close([...withdrawn, ...this.#decoder.closeAll(why), ...turnEnds(end)])
    turn.over.resolve(end)
  }

  #tell(event: AgentEvent): Promise<void> {
    return this.#outlet.tell([event])
  }

  async #die(): Promise<void> {
    this.#isGone = true
    this.#controls.fail(gone)
    await this.#deaf
    const lastWords = this.#wire.tail().split('\n').at(-1) || null
    await this.#finish(this.#deaf ? deafEnd(this.#interruptMs) : { reason: 'failed', message: lastWords })
  }
}

const outcomeOf = (refusal: string | undefined): CommandOutcome =>
  refusal === undefined ? { outcome: 'delivered' } : refused(refusal)
