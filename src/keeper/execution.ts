import type { AgentEvent, Instruction, Output } from '#agents/port.ts'
import type { ApprovalAnswer, ApprovalAsked, Chunk } from '#contract/agent-event.ts'
import { MARK, OWN_SERVER } from '#contract/keeper-protocol.ts'
import type { CommandOutcome, EndReason, KeeperCommand, KeptExecution, Launch } from '#contract/keeper.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import { watchMemory } from '#lib/memory-watch.ts'
import { NotStarted } from '#lib/program.ts'
import type { ProgramEnd } from '#lib/program.ts'
import { formatSize } from '#lib/units.ts'
import { startClock } from './clock.ts'
import { gatherOutput } from './gather.ts'
import type { Spool } from './spool.ts'
import { TurnWatch } from './turn-watch.ts'
import type { Over, Work } from './work.ts'

export const usualGraceMs = 5_000

const megabyte = 1_048_576
/** What grows goes on growing until it is dead. */
const outOfMemoryGraceMs = 1_000

const tooLate: CommandOutcome = { outcome: 'refused', reason: 'The turn is over.', tooLate: true }

interface Surroundings {
  spool: Spool
  /** Rejects with NotStarted. */
  begin: () => Promise<Work>
  /** While it begins: it need not any more. */
  giveUp: (graceMs: number) => void
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
  /** Resolves once its agent hears what it is told; with nothing when it never will. */
  readonly #begun = Promise.withResolvers<Work | undefined>()
  #state: KeptExecution['state'] = 'running'
  #work: Work | undefined
  #watch: TurnWatch | undefined
  #ending: Ending | undefined
  #graceMs = usualGraceMs
  #outputBytes = 0
  #spent: string | undefined

  constructor(launch: Launch, surroundings: Surroundings) {
    this.#launch = launch
    this.#surroundings = surroundings
    this.ended = this.#live().catch(surroundings.onError)
  }

  get seen(): Pick<KeptExecution, 'state' | 'pid' | 'offset' | 'bytes'> {
    const { offset, bytes } = this.#surroundings.spool
    return { state: this.#state, pid: this.#work?.pid ?? null, offset, bytes }
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
    if (!this.#work) this.#surroundings.giveUp(graceMs)
    return true
  }

  async #obey({ type, payload }: KeeperCommand): Promise<CommandOutcome> {
    if (type === 'cancel') {
      const isCancelled = this.stop('cancelled', null) || this.#ending?.reason === 'cancelled'
      return isCancelled ? { outcome: 'delivered' } : { outcome: 'refused', reason: 'It is ending already.' }
    }
    if (type === 'hold' || type === 'go_on') return this.#holdOrGoOn(type, payload as { requestId: string })
    // An agent that is still coming up hears it when it is there.
    const work = await this.#begun.promise
    if (this.#state !== 'running' || !work) return tooLate
    // Whoever queued it has seen to it that the payload is what the type promises.
    const told = await work.tell({ type, payload } as Instruction)
    if (told.outcome === 'refused') return (await this.#isOver()) ? { ...told, tooLate: true } : told
    if (type === 'answer') this.#watch?.settle((payload as ApprovalAnswer).requestId)
    return told
  }

  /** Somebody is asked on behalf of the agent, which knows nothing of it. */
  async #holdOrGoOn(type: 'hold' | 'go_on', { requestId }: { requestId: string }): Promise<CommandOutcome> {
    await this.#begun.promise
    if (this.#state !== 'running') return tooLate
    if (type === 'hold') this.#watch?.ask(requestId)
    else this.#watch?.settle(requestId)
    return { outcome: 'delivered' }
  }

  /** Whether the turn has ended, or is just about to say so. */
  async #isOver(): Promise<boolean> {
    await new Promise(setImmediate)
    return this.#state !== 'running'
  }

  async #live(): Promise<void> {
    const { begin, spool, onError } = this.#surroundings
    const { timeoutMs, turn } = this.#launch
    const clock = startClock(timeoutMs, () => this.#timeOut())
    let work: Work
    try {
      work = await begin()
    } catch (error) {
      clock.stop()
      if (!(error instanceof NotStarted)) onError(error)
      return this.#end(this.#ending ?? { reason: 'not_started', message: messageOf(error) })
    }
    this.#work = work
    const { pid, tmuxSession, startedFor = turn && this.#launch.executionId } = work
    spool.append('started', {
      pid,
      ...(tmuxSession !== undefined && { tmuxSession }),
      ...(startedFor !== undefined && { startedFor }),
    })
    // Nobody wants it any more: then the agent need not hear of it.
    if (this.#ending && turn) {
      clock.stop()
      return this.#endUnheard(work, this.#ending)
    }
    this.#watch = turn && new TurnWatch(turn, clock, this.#turnTold)
    const told = this.#tellAll(work)
    this.#begun.resolve(work)
    const memory = this.#watchMemory(work.pid)
    const over = await Promise.race([work.over, this.#stopAsked.promise])
    clock.stop()
    memory?.end()
    this.#watch?.end()
    this.#enter('stopping')
    const isDead = over ? await work.clear(this.#graceMs) : await work.stop(this.#graceMs)
    work.hangUp()
    await told
    if (!isDead) return this.#end({ reason: 'not_killed', message: this.#describeSurvivor(work.pid) })
    return this.#end(await this.#endingOf(work, over))
  }

  async #endUnheard(work: Work, ending: Ending): Promise<void> {
    if (await work.stop(this.#graceMs)) return this.#end(ending)
    return this.#end({ reason: 'not_killed', message: this.#describeSurvivor(work.pid) })
  }

  /** What was asked for explains the end. A turn that completed has completed, whatever it cost. */
  async #endingOf(work: Work, over: Over | void): Promise<Ending & Partial<ProgramEnd>> {
    const { reason, message, ...end } = over ?? (await work.over)
    const spent = reason !== 'turn_completed' && this.#spent
    const byItself = spent ? { reason: 'budget' as const, message: spent } : { reason, message }
    return { ...(this.#ending ?? byItself), ...end }
  }

  readonly #turnTold = {
    onStall: (silentMs: number | false) =>
      this.#surroundings.spool.append('chunk', { type: 'data-stall', data: { silentMs } }),
    onSpent: (why: string) => {
      this.#say(`${why}: it is asked to stop`)
      this.#spent = why
      void this.#work?.tell({ type: 'interrupt', payload: {} })
    },
  }

  /** A full disk holds this up, and with it the program in its own write; nothing else waits for it. */
  async #tellAll(work: Work): Promise<void> {
    await work.tellAll((event) => {
      this.#take(event)
      return this.#surroundings.spool.room()
    })
    this.#gatherer.end()
  }

  #take(event: AgentEvent): void {
    if (event.type === 'data-terminal') return this.#takeOutput(event)
    const { spool } = this.#surroundings
    this.#gatherer.flush()
    this.#watch?.heard()
    switch (event.type) {
      case 'chunk':
        return this.#takeChunk(event.chunk)
      case 'approval':
        this.#watch?.ask(event.approval.requestId)
        spool.append('approval', {
          ...event.approval,
          inputHash: hashOfInput(event.approval),
          ...(this.#isOwnTool(event.approval) && { isOwnTool: true }),
        })
        return
      case 'withdrawn':
        this.#watch?.settle(event.requestId)
        spool.append('withdrawn', { requestId: event.requestId, reason: event.reason })
        return
      case 'session':
        spool.append('session', event.facts)
        return
      case 'usage':
        spool.append('usage', event.usage)
        return this.#watch?.spend(event.usage)
    }
  }

  /** Only where the agent has got our own endpoint: else whatever is called so is somebody else's. */
  #isOwnTool({ server }: ApprovalAsked): boolean {
    return server === OWN_SERVER && Boolean(this.#launch.turn?.ownTools)
  }

  #takeOutput({ stream, bytes }: Output): void {
    this.#watch?.heard()
    const left = this.#launch.maxOutputBytes - this.#outputBytes
    if (left >= 0) this.#gatherer.add(stream, bytes.subarray(0, left))
    this.#outputBytes += bytes.length
    if (left >= 0 && bytes.length > left) this.#exceedLimit()
  }

  #takeChunk(chunk: Chunk): void {
    const left = this.#launch.maxOutputBytes - this.#outputBytes
    if (left < 0) return
    this.#outputBytes += this.#surroundings.spool.append('chunk', chunk)
    if (this.#outputBytes > this.#launch.maxOutputBytes) this.#exceedLimit()
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

  /** Inside walls a pid means nothing to us, and the walls have their own limit. */
  #watchMemory(pid: number): { end(): void } | undefined {
    const { memoryMb, workspace } = this.#launch
    if (memoryMb === undefined || workspace.driver !== 'folder') return undefined
    const onOver = (usedBytes: number) => {
      const used = Math.round(usedBytes / megabyte)
      const message = `It used more than the ${memoryMb} MB of memory that its agent may have: ${used} MB, with all that it started`
      if (this.stop('memory_limit', message, outOfMemoryGraceMs)) this.#say(`${message}. It is ended`)
    }
    return watchMemory(pid, { bytes: memoryMb * megabyte, mark: MARK, onOver })
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

  async #end(ending: Ending & Partial<ProgramEnd>): Promise<void> {
    this.#begun.resolve(undefined)
    const { reason, message, exitCode = null, signal = null } = ending
    const isAgentGone = this.#work?.isAgentGone?.() ?? false
    this.#surroundings.spool.append('ended', {
      reason,
      message,
      exitCode,
      signal,
      ...(isAgentGone && { isAgentGone }),
    })
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
