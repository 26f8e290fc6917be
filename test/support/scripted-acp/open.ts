import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAcp } from '#agents/acp/adapter.ts'
import type { Patience } from '#agents/acp/adapter.ts'
import type { AgentEvent, SessionAgent, SessionLaunch, TurnEnd } from '#agents/port.ts'
import { groupBoundary } from '#boundaries/none/process-group.ts'
import type { ApprovalAnswer, ApprovalAsked, PromptFile } from '#contract/agent-event.ts'
import { startProgram } from '#host/start-program.ts'
import { newId } from '#lib/id.ts'
import { sessionLaunch } from '../session-launch.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import type { Message } from './wire.ts'

const script = join(import.meta.dirname, '../scripted-acp-agent.ts')
const replay = join(import.meta.dirname, 'replay-agent.ts')

export interface Options {
  turn?: Partial<SessionLaunch['turn']>
  env?: Record<string, string>
  patience?: Partial<Patience>
  /** Instead of the scripted one: an agent that says again what was recorded. */
  recording?: string
}

/** A room for one test: its folder, and every agent that was started in it. */
export class AcpStage {
  readonly folder = mkdtempSync(join(tmpdir(), 'acp-'))
  readonly frames: { direction: string; line: string }[] = []
  readonly #agents: SessionAgent[] = []

  /** Starts the scripted agent with a session. */
  async open({ turn, env, patience, recording }: Options = {}): Promise<SessionAgent> {
    const boundary = groupBoundary(startProgram, 'SIGNALBOX_TEST_MARK')
    const agent = await openAcp(
      this.#launch(turn ?? {}, env ?? {}, recording ? [replay, recording] : [script]),
      {
        start: (program) => boundary.start(program, newId()),
        frame: (direction, line) => this.frames.push({ direction, line }),
      },
      { openMs: 20_000, interruptMs: 10_000, ...patience },
    )
    this.#agents.push(agent)
    return agent
  }

  /** What the agent received, of one method. */
  received(method?: string): Message[] {
    const messages = readFileSync(join(this.folder, 'received'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Message)
    return method === undefined ? messages : messages.filter((message) => message.method === method)
  }

  async close(): Promise<void> {
    for (const agent of this.#agents) await agent.stop(0)
    rmSync(this.folder, { recursive: true, force: true })
  }

  #launch(turn: Partial<SessionLaunch['turn']>, env: Record<string, string>, argv: string[]): SessionLaunch {
    return sessionLaunch(
      {
        adapter: 'acp',
        argv,
        env: {
          PATH: process.env['PATH'] ?? '',
          SCRIPTED_RECORD: join(this.folder, 'received'),
          SCRIPTED_STORE: join(this.folder, 'store'),
          ...env,
        },
        cwd: this.folder,
      },
      turn,
    )
  }
}

/** One turn, and what was said in it. */
export class HeardTurn {
  readonly events: AgentEvent[] = []
  readonly end: Promise<TurnEnd>
  readonly #agent: SessionAgent
  #waiting: { is: (event: AgentEvent) => boolean; resolve: (event: AgentEvent) => void }[] = []

  constructor(agent: SessionAgent, text: string, files: PromptFile[] = []) {
    this.#agent = agent
    this.end = agent.turn({ text, files }, async (event) => {
      this.events.push(event)
      for (const { is, resolve } of this.#waiting) if (is(event)) resolve(event)
    })
  }

  /** The first such event, be it said already or not. Rejects when the turn ends without one. */
  hear(is: (event: AgentEvent) => boolean): Promise<AgentEvent> {
    const heard = this.events.find(is)
    if (heard) return Promise.resolve(heard)
    const later = new Promise<AgentEvent>((resolve) => this.#waiting.push({ is, resolve }))
    const never = this.end.then((): never => {
      throw new Error(`The turn ended: ${JSON.stringify(this.events)}`)
    })
    return Promise.race([later, never])
  }

  async asked(): Promise<ApprovalAsked> {
    const event = await this.hear(({ type }) => type === 'approval')
    return (event as Extract<AgentEvent, { type: 'approval' }>).approval
  }

  answer(asked: ApprovalAsked, decision: ApprovalAnswer['decision'], more: Partial<ApprovalAnswer> = {}) {
    const payload = { requestId: asked.requestId, inputHash: hashOfInput(asked), decision, ...more }
    return this.#agent.tell({ type: 'answer', payload })
  }

  /** The chunks of these types, all of them without any. */
  chunks(...types: string[]) {
    return this.events.flatMap((event) =>
      event.type === 'chunk' && (types.length === 0 || types.includes(event.chunk.type)) ? [event.chunk] : [],
    )
  }

  text(): string {
    return this.chunks('text-delta')
      .map(({ delta }) => delta as string)
      .join('')
  }

  of<T extends AgentEvent['type']>(type: T) {
    return this.events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type)
  }
}

/** Parts that were opened and not closed, or said something while they were not open. */
export function brokenParts(turn: HeardTurn): string[] {
  const open = new Set<string>()
  const broken: string[] = []
  for (const chunk of turn.chunks()) {
    const [, kind, what] = /^(text|reasoning|tool)-(.+)$/.exec(chunk.type) ?? []
    if (!kind || !what) continue
    const id = String(chunk['toolCallId'] ?? chunk['id'])
    if (/^(input-)?start$/.test(what)) open.add(id)
    else if (!open.has(id)) broken.push(`${chunk.type} of ${id}, which is not open`)
    if (/^(end|output-.*)$/.test(what)) open.delete(id)
  }
  return [...broken, ...[...open].map((id) => `${id} is left open`)]
}
