import type { SessionAdapter, SessionAgent, SessionLaunch } from '#agents/port.ts'
import type { Enclosure } from '#boundaries/port.ts'
import type { LivingAgent } from '#contract/keeper.ts'
import { NotStarted } from '#lib/program.ts'
import type { EnclosedProgram } from '#lib/program.ts'
import { openFrames } from './frames.ts'
import type { Frames } from './frames.ts'

export type SessionAdapters = Record<'claude' | 'codex' | 'acp', () => Promise<SessionAdapter>>

interface Parts {
  boundary: Enclosure
  adapters: SessionAdapters
  /** What all processes of a session's agent carry. */
  markOf: (sessionId: string) => string
  /** Notes a mark of processes that must not outlive us. */
  noteMark: (mark: string) => void
  log: (line: string) => void
}

interface Held {
  agent: SessionAgent
  /** What it was started with: another program, or other variables, are another agent. */
  setup: string
  /** The execution whose token it has. */
  startedFor: string
  frames: Frames
  /** Which model and mode were last asked for; null leaves them to the agent. */
  chosen: { model: string | null; mode: string | null }
  /** Once it is being ended: whoever comes now needs another one. */
  ending?: Promise<boolean>
  idle?: NodeJS.Timeout
}

interface Opening {
  enclosed?: EnclosedProgram
  givenUp?: number
}

const idleGraceMs = 5_000

/** The agents that hold a session, one for each. They stay between turns, and end when nobody comes for a while. */
export class SessionAgents {
  readonly #parts: Parts
  readonly #held = new Map<string, Held>()
  /** Those that have no session yet: their processes once they have one, and the grace once nobody waits for them. */
  readonly #opening = new Map<string, Opening>()
  #isClosed = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get all(): LivingAgent[] {
    return [...this.#held].map(([sessionId, { agent, startedFor }]) => ({
      sessionId,
      pid: agent.pid,
      startedFor,
    }))
  }

  /** The execution that the living agent of this session was started for. */
  startedFor(sessionId: string): string | undefined {
    return this.#held.get(sessionId)?.startedFor
  }

  /** The living agent of this session, or one that is started for it. Rejects with NotStarted. */
  async take(launch: SessionLaunch): Promise<SessionAgent> {
    const { sessionId, turn } = launch
    const held = this.#held.get(sessionId)
    clearTimeout(held?.idle)
    // Nothing is to go on although there was something: it starts afresh.
    const isAfresh = turn.isContinued && turn.sessionRef === null
    if (held && !held.ending && !isAfresh && held.setup === setupOf(launch)) {
      held.frames.turnTo(turn.framesFile)
      await choose(held, turn)
      return held.agent
    }
    if (held) await this.#end(sessionId, held, idleGraceMs)
    return this.#open(launch)
  }

  /** The turn is over: the agent waits for the next one. */
  leave(launch: SessionLaunch): void {
    const held = this.#held.get(launch.sessionId)
    if (!held) return
    clearTimeout(held.idle)
    held.idle = setTimeout(
      () => void this.#end(launch.sessionId, held, idleGraceMs),
      this.#isClosed ? 0 : launch.turn.idleMs,
    )
  }

  /** Ends the agent of a session, if there is one. False when something outlived SIGKILL. */
  async end(sessionId: string, graceMs: number): Promise<boolean> {
    const held = this.#held.get(sessionId)
    return held ? this.#end(sessionId, held, graceMs) : true
  }

  /** Ends one that is only just being opened, or made ready; whoever waits for it hears that it could not be started. */
  async giveUp(sessionId: string, graceMs: number): Promise<void> {
    const opening = this.#opening.get(sessionId)
    if (!opening) return void (await this.end(sessionId, graceMs))
    opening.givenUp = graceMs
    await opening.enclosed?.end(graceMs)
  }

  async endAll(graceMs: number): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#held].map(([sessionId, held]) => this.#end(sessionId, held, graceMs)))
  }

  async #open(launch: SessionLaunch): Promise<SessionAgent> {
    const { adapters, boundary, markOf, noteMark, log } = this.#parts
    const { sessionId } = launch
    const adapter = await adapterOf(adapters, launch.adapter)
    const frames = openFrames(launch.turn.framesFile, log)
    const mark = markOf(sessionId)
    noteMark(mark)
    const opening: Opening = {}
    this.#opening.set(sessionId, opening)
    const agent = await adapter
      .open(launch, {
        start: async (program) => {
          const enclosed = await boundary.start(program, mark)
          opening.enclosed = enclosed
          if (opening.givenUp !== undefined) void enclosed.end(opening.givenUp)
          return enclosed
        },
        frame: (direction, line) => frames.note(direction, line),
      })
      .finally(() => this.#opening.delete(sessionId))
    const { model, mode } = launch.turn
    const startedFor = launch.executionId
    const held: Held = { agent, setup: setupOf(launch), startedFor, frames, chosen: { model, mode } }
    this.#held.set(sessionId, held)
    void agent.exited.then(() => this.#forget(sessionId, held))
    return agent
  }

  #end(sessionId: string, held: Held, graceMs: number): Promise<boolean> {
    held.ending ??= this.#stop(sessionId, held, graceMs)
    return held.ending
  }

  async #stop(sessionId: string, held: Held, graceMs: number): Promise<boolean> {
    const isDead = await held.agent.stop(graceMs)
    if (!isDead) this.#parts.log(`The agent of session ${sessionId} outlived SIGKILL`)
    this.#forget(sessionId, held)
    return isDead
  }

  #forget(sessionId: string, held: Held): void {
    clearTimeout(held.idle)
    held.frames.close()
    if (this.#held.get(sessionId) === held) this.#held.delete(sessionId)
  }
}

/** Tells the agent which model and mode are wanted, if that has changed. Rejects with NotStarted when it refuses. */
async function choose(held: Held, { model, mode }: SessionLaunch['turn']): Promise<void> {
  const payload = {
    ...(model !== null && model !== held.chosen.model && { model }),
    ...(mode !== null && mode !== held.chosen.mode && { mode }),
  }
  if (Object.keys(payload).length > 0) {
    const { outcome, reason } = await held.agent.tell({ type: 'mode', payload })
    if (outcome === 'refused') throw new NotStarted(reason ?? 'The agent does not take this model or mode')
  }
  held.chosen = { model, mode }
}

function adapterOf(adapters: SessionAdapters, name: SessionLaunch['adapter']): Promise<SessionAdapter> {
  if (name === 'template' || name === 'terminal') throw new Error(`${name} holds no session`)
  return adapters[name]()
}

/** Without the token of our own tools: it is another in every turn, and a living agent keeps the one that it has. */
const setupOf = ({ adapter, program, argv, env, cwd, turn }: SessionLaunch): string =>
  JSON.stringify([
    adapter,
    program,
    argv,
    Object.entries(env).toSorted(),
    cwd,
    turn.mcpServers,
    turn.ownTools?.url ?? null,
    turn.limits.steps,
    adapter === 'claude' && turn.limits.costUsd !== null ? totalCents(turn) : null,
  ])

/** Claude Code stops by itself at a sum of the whole session, which it is told when it starts. */
const totalCents = ({ spentUsd = 0, limits }: SessionLaunch['turn']): number =>
  Math.round((spentUsd + (limits.costUsd ?? 0)) * 100)
