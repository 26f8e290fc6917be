import type { AgentAdapter, RunningAgent } from '#agents/port.ts'
import type { Boundary } from '#boundaries/port.ts'
import type { CommandOutcome, EndReason, KeeperCommand, KeptExecution, Launch } from '#contract/keeper.ts'
import { NotStarted } from '#lib/program.ts'
import type { ProgramEnd } from '#lib/program.ts'
import { formatSize } from '#lib/units.ts'
import { gatherOutput } from './gather.ts'
import type { Spool } from './spool.ts'

export const usualGraceMs = 5_000
/** A longer timer goes off at once. */
const longestTimerMs = 2 ** 31 - 1

interface Surroundings {
  spool: Spool
  adapter: AgentAdapter
  boundary: Boundary
  onChange: () => void
  onError: (error: unknown) => void
}

interface Ending {
  reason: EndReason
  message: string | null
}

/** One execution, from its launch to its proven death. All that it has to tell is in its spool. */
export class RunningExecution {
  /** Resolves once the last record is in the file. Never rejects. */
  readonly ended: Promise<void>
  readonly #launch: Launch
  readonly #surroundings: Surroundings
  readonly #gatherer = gatherOutput((stream, bytes) => this.#write(stream, bytes))
  readonly #outcomes = new Map<string, Promise<CommandOutcome>>()
  readonly #stopAsked = Promise.withResolvers<void>()
  #state: KeptExecution['state'] = 'running'
  #agent: RunningAgent | undefined
  #ending: Ending | undefined
  #graceMs = usualGraceMs
  #outputBytes = 0

  constructor(launch: Launch, surroundings: Surroundings) {
    this.#launch = launch
    this.#surroundings = surroundings
    this.ended = this.#live().catch(surroundings.onError)
  }

  get seen(): Pick<KeptExecution, 'state' | 'pid' | 'offset' | 'bytes'> {
    const { offset, bytes } = this.#surroundings.spool
    return { state: this.#state, pid: this.#agent?.pid ?? null, offset, bytes }
  }

  /** Done once for each command id, however often it is told. */
  command(command: KeeperCommand): Promise<CommandOutcome> {
    const outcome = this.#outcomes.get(command.id) ?? this.#obey(command)
    this.#outcomes.set(command.id, outcome)
    return outcome
  }

  /** The first reason wins: false when it is ending already. */
  stop(reason: EndReason, message: string | null, graceMs = usualGraceMs): boolean {
    if (this.#state !== 'running') return false
    this.#ending = { reason, message }
    this.#graceMs = graceMs
    this.#enter('stopping')
    this.#stopAsked.resolve()
    return true
  }

  async #obey({ type, payload }: KeeperCommand): Promise<CommandOutcome> {
    if (type === 'cancel') {
      const isCancelled = this.stop('cancelled', null) || this.#ending?.reason === 'cancelled'
      return isCancelled ? { outcome: 'delivered' } : { outcome: 'refused', reason: 'It is ending already.' }
    }
    if (this.#state !== 'running' || !this.#agent)
      return { outcome: 'refused', reason: 'The agent is not running.' }
    return this.#agent.tell({ type, payload })
  }

  async #live(): Promise<void> {
    const { adapter, boundary, spool, onError } = this.#surroundings
    const { executionId, timeoutMs } = this.#launch
    let agent: RunningAgent
    try {
      agent = await adapter.start(this.#launch, (program) => boundary.start(program, executionId))
    } catch (error) {
      if (!(error instanceof NotStarted)) onError(error)
      return this.#end({ reason: 'not_started', message: messageOf(error) })
    }
    this.#agent = agent
    spool.append('started', { pid: agent.pid })
    const clock = setTimeout(() => this.#timeOut(), Math.min(timeoutMs, longestTimerMs))
    const told = this.#tellAll(agent)
    await Promise.race([agent.exited, this.#stopAsked.promise])
    clearTimeout(clock)
    this.#enter('stopping')
    const isDead = await agent.stop(this.#graceMs)
    agent.hangUp()
    await told
    if (isDead) return this.#end(this.#ending ?? { reason: 'exited', message: null }, await agent.exited)
    return this.#end({ reason: 'not_killed', message: this.#describeSurvivor(agent.pid) })
  }

  /** A full disk holds this up, and with it the program in its own write; nothing else waits for it. */
  async #tellAll(agent: RunningAgent): Promise<void> {
    for await (const { stream, bytes } of agent.events) {
      const left = this.#launch.maxOutputBytes - this.#outputBytes
      if (left >= 0) this.#gatherer.add(stream, bytes.subarray(0, left))
      this.#outputBytes += bytes.length
      if (left >= 0 && bytes.length > left) this.#exceedLimit()
      await this.#surroundings.spool.room()
    }
    this.#gatherer.end()
  }

  /** Also after it ended by itself: then there was more in the pipe than it was allowed. */
  #exceedLimit(): void {
    const message = `Output limit of ${formatSize(this.#launch.maxOutputBytes).replace(/(?=[A-Z])/, ' ')} exceeded`
    this.#say(`${message}: what follows is not kept, and it is asked to end`)
    this.#ending ??= { reason: 'output_limit', message }
    this.#enter('stopping')
    this.#stopAsked.resolve()
  }

  #timeOut(): void {
    const message = `Timed out after ${this.#launch.timeoutMs / 1000} s`
    if (this.stop('timed_out', message)) this.#say(`${message}: asked to end`)
  }

  #describeSurvivor(pid: number): string {
    const wanted = this.#ending ? ` (${this.#ending.message ?? this.#ending.reason})` : ''
    return `Process ${pid}, or one that it started, outlived SIGKILL${wanted}`
  }

  #say(line: string): void {
    this.#gatherer.flush()
    this.#write('system', Buffer.from(`${line}\n`))
  }

  #write(stream: 'stdout' | 'stderr' | 'system', bytes: Buffer): void {
    this.#surroundings.spool.appendOutput(stream, bytes)
  }

  async #end(ending: Ending, end: ProgramEnd = { exitCode: null, signal: null }): Promise<void> {
    this.#surroundings.spool.append('ended', { ...ending, ...end })
    await this.#surroundings.spool.close()
    this.#enter('ended')
  }

  #enter(state: KeptExecution['state']): void {
    if (this.#state === state) return
    this.#state = state
    this.#surroundings.onChange()
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
