import type { AgentEvent, SessionAgent } from '#agents/port.ts'
import type { Prompt, SessionFacts } from '#contract/agent-event.ts'
import type { UiMessage } from '#contract/chat.ts'
import type { TurnAsked } from '#contract/keeper.ts'
import type { ChatAnswer, ChatWish } from '#domain/chat-request.ts'
import { Problem } from '#domain/problem.ts'
import { startClock } from '#keeper/clock.ts'
import { turnWork } from '#keeper/work.ts'
import { newId } from '#lib/id.ts'
import { NotStarted } from '#lib/program.ts'
import { trimmed } from './history.ts'
import { LiveTurn } from './live-turn.ts'
import { Questions } from './questions.ts'
import type { Policy } from './questions.ts'
import type { Remembered, SessionFile } from './session-file.ts'

export type BridgeState = 'new' | 'loading' | 'running' | 'closed'

export interface ConversationParts {
  agent: Remembered['agent']
  open: (turn: TurnAsked) => Promise<SessionAgent>
  file: SessionFile
  policy: Policy
  timeoutMs: number
  log: (line: string) => void
}

type Said = Extract<ChatWish, { kind: 'message' }>

const graceMs = 5_000

/** The one conversation of a bridge: its agent, what was said, and the turn under way. */
export class Conversation {
  readonly #parts: ConversationParts
  #messages: UiMessage[] = []
  #sessionRef: string | null = null
  #agent: SessionAgent | undefined
  #isBusy = false
  #hasOpened = false
  /** Resolves when nothing is under way. */
  #settled: Promise<unknown> = Promise.resolve()
  /** Resolves when nothing is left of the agent that died last. */
  #cleared: Promise<unknown> = Promise.resolve()
  #turn: LiveTurn | undefined
  #questions: Questions | undefined
  /** To be said aloud with the next turn. */
  #notice: string | undefined

  constructor(parts: ConversationParts, remembered?: Remembered) {
    this.#parts = parts
    this.#recall(remembered)
  }

  get state(): BridgeState {
    if (this.#agent) return 'running'
    if (this.#isBusy) return 'loading'
    return this.#hasOpened || this.#sessionRef !== null ? 'closed' : 'new'
  }

  /** Everything that was said, with what is being said. */
  get messages(): UiMessage[] {
    return this.#turn ? [...this.#messages, this.#turn.message] : this.#messages
  }

  /** The turn under way, if there is one. */
  get turn(): LiveTurn | undefined {
    return this.#turn
  }

  /** Begins a turn. Throws when one is under way, and when the agent cannot be started. */
  async say({ message, text, files }: Said): Promise<LiveTurn> {
    if (this.#isBusy)
      throw new Problem('session_busy', 'A turn is under way: wait for its end, or answer what it asks')
    this.#isBusy = true
    const begun = Promise.withResolvers<LiveTurn>()
    this.#settled = this.#begin(message, { text, files }, begun.resolve).catch((error: unknown) => {
      this.#isBusy = false
      begun.reject(error instanceof NotStarted ? new Problem('agent_not_started', error.message) : error)
    })
    return begun.promise
  }

  async #begin(message: UiMessage, prompt: Prompt, onTurn: (turn: LiveTurn) => void): Promise<void> {
    const agent = (this.#agent ??= await this.#open(prompt))
    this.#messages.push({ id: message.id || newId(), role: 'user', parts: message.parts })
    const turn = new LiveTurn()
    this.#turn = turn
    onTurn(turn)
    await this.#run(agent, prompt, turn)
  }

  /** Hands answers to the agent. Throws when nothing waits for any of them. */
  answer(answers: readonly ChatAnswer[]): LiveTurn {
    if (this.#turn && this.#questions && this.#questions.answer(answers) > 0) return this.#turn
    throw new Problem(
      'approval_not_waiting',
      'Nothing here waits for this answer, or it was asked about something else',
    )
  }

  /** Forgets everything. The next turn begins a new session, in a new process. */
  async startAfresh(): Promise<void> {
    await this.end()
    this.#messages = []
    this.#sessionRef = null
    this.#hasOpened = false
    this.#notice = undefined
    this.#parts.file.remove()
  }

  async end(): Promise<void> {
    if (this.state === 'loading') await this.#settled
    const agent = this.#agent
    if (agent && !(await agent.stop(graceMs))) this.#parts.log('The agent outlived SIGKILL')
    await this.#settled
    this.#agent = undefined
  }

  async #open(prompt: Prompt): Promise<SessionAgent> {
    // All agents of a bridge carry the same mark: the next one would be taken for what the last one left.
    await this.#cleared
    const agent = await this.#parts.open({
      prompt,
      sessionRef: this.#sessionRef,
      isContinued: this.#sessionRef !== null || this.#messages.length > 0,
      fork: false,
      model: null,
      mode: null,
      mcpServers: [],
      limits: { steps: null, costUsd: null, tokens: null },
      stallMs: this.#parts.timeoutMs,
      idleMs: this.#parts.timeoutMs,
      framesFile: null,
    })
    this.#hasOpened = true
    void this.#awaitDeath(agent)
    return agent
  }

  async #awaitDeath(agent: SessionAgent): Promise<void> {
    await agent.exited
    if (this.#agent === agent) this.#agent = undefined
    this.#cleared = agent.stop(graceMs) // what it has started does not outlive it
  }

  async #run(agent: SessionAgent, prompt: Prompt, turn: LiveTurn): Promise<void> {
    let lateness: string | undefined
    let patience: NodeJS.Timeout | undefined
    const work = turnWork(agent, prompt)
    const clock = startClock(this.#parts.timeoutMs, () => {
      lateness = `Timed out after ${this.#parts.timeoutMs / 1000} s: what it said until then is not all`
      void work.tell({ type: 'interrupt', payload: {} })
      patience = setTimeout(() => void agent.stop(graceMs), graceMs)
    })
    const questions = new Questions(this.#parts.policy, turn, agent, (isAsking) =>
      isAsking ? clock.hold() : clock.goOn(),
    )
    this.#questions = questions
    if (this.#notice !== undefined) turn.take({ type: 'data-notice', data: { text: this.#notice } })
    this.#notice = undefined
    await work.tellAll((event) => this.#hear(event, turn, questions))
    const { reason, message } = await work.over
    clock.stop()
    clearTimeout(patience)
    const errorText = lateness ?? (reason === 'turn_failed' ? (message ?? 'The agent failed') : undefined)
    const finishReason = reason === 'turn_interrupted' ? 'interrupted' : 'stop'
    this.#finish(turn, { finishReason, ...(errorText !== undefined && { errorText }) })
  }

  #finish(turn: LiveTurn, ending: Parameters<LiveTurn['end']>[0]): void {
    turn.end(ending)
    this.#messages = trimmed([...this.#messages, turn.message])
    this.#turn = undefined
    this.#questions = undefined
    this.#isBusy = false
    this.#remember()
  }

  #hear(event: AgentEvent, turn: LiveTurn, questions: Questions): Promise<void> {
    switch (event.type) {
      case 'chunk':
        turn.take(event.chunk)
        break
      case 'approval':
        questions.ask(event.approval)
        break
      case 'withdrawn':
        questions.withdraw(event.requestId, event.reason)
        break
      case 'session':
        this.#hearFacts(event.facts, turn)
        break
      case 'usage':
        turn.take({ type: 'data-usage', data: event.usage })
        break
      case 'data-terminal':
        this.#parts.log(event.bytes.toString('utf8').trimEnd())
    }
    return Promise.resolve()
  }

  #hearFacts(facts: SessionFacts, turn: LiveTurn): void {
    turn.take({ type: 'data-session', data: facts })
    if (facts.note !== undefined) turn.take({ type: 'data-notice', data: { text: facts.note } })
    if (facts.sessionRef === undefined || facts.sessionRef === this.#sessionRef) return
    this.#sessionRef = facts.sessionRef
    this.#remember()
  }

  #remember(): void {
    const { file, agent } = this.#parts
    file.write({ agent, sessionRef: this.#sessionRef, messages: this.#messages })
  }

  #recall(remembered: Remembered | undefined): void {
    if (!remembered) return
    const { agent } = this.#parts
    const { adapter, command, cwd } = remembered.agent
    if (adapter === agent.adapter && command === agent.command && cwd === agent.cwd) {
      this.#messages = remembered.messages
      this.#sessionRef = remembered.sessionRef
    } else this.#notice = `The session that is remembered is of ${command} in ${cwd}: a new one begins`
  }
}
