import type { Image } from '../sandbox/image.ts'
import type { Ending, RunMeter } from '../sandbox/run.ts'
import { Attention } from './attention.ts'
import type { FrozenJob, Job, LiveRun, Load, PoolSettings, Ran } from './job.ts'
import { PoolFull } from './job.ts'
import type { FromThread, Settled } from './messages.ts'
import { graceMs } from './pool-thread.ts'
import type { Gone, PoolThread } from './pool-thread.ts'
import { RunQueue } from './run-queue.ts'
import { Run } from './run.ts'
import { Threads, stallMs } from './threads.ts'
import { toldError } from './told-error.ts'

/** A run that waits longer than this makes room for others that wait for a thread. */
const patienceMs = 3
const longestWaitMs = 30_000

/** The threads in which code runs. A thread holds one run; one that waits for something can be taken out and go on in another. */
export class Pool {
  readonly #settings: PoolSettings
  readonly #threads: Threads
  readonly #queue = new RunQueue<Run>()
  readonly #runs = new Map<number, Run>()
  /** How many threads each owner has. */
  readonly #held = new Map<string, number>()
  readonly #attention = new Attention()
  #last = 0
  #roomTimer: NodeJS.Timeout | undefined
  #stallTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(image: Image, settings: PoolSettings) {
    this.#settings = settings
    this.#threads = new Threads(image, settings, {
      onReady: () => this.#next(),
      onMessage: (message) => this.#hear(message),
      onGone: (run, why) => this.#lost(run, why),
      isOverdue: (run) => this.#isOverdue(run),
    })
  }

  get load(): Load {
    const { size: threads, busy, crashed, stuck } = this.#threads
    return { threads, busy, waiting: this.#queue.size, live: this.#runs.size, crashed, stuck }
  }

  /** Throws PoolFull. */
  run(job: Job): LiveRun {
    const { mostWaiting, mostWaitingOfOne } = this.#settings
    if (this.#isClosed) throw new PoolFull('Code is not run any more: Signalbox is being stopped')
    if (this.#queue.size >= mostWaiting || this.#queue.sizeOf(job.owner) >= mostWaitingOfOne)
      throw new PoolFull(`${this.#queue.size} executions wait for their turn already`)
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<Ran | undefined>()
    this.#last += 1
    const run: Run = new Run(this.#last, job, () => this.#alarm(run), onEnd)
    this.#runs.set(run.id, run)
    if ('frozen' in job.from) this.#waitForOutcomes(run, job.from.settled)
    else this.#waitForTurn(run)
    return {
      ended,
      freeze: () => this.#freeze(run),
      settle: (settled) => this.#settle(run, settled),
      end: (ending) => this.#end(run, ending),
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#roomTimer)
    clearTimeout(this.#stallTimer)
    for (const run of this.#runs.values())
      this.#ended(run, { how: 'crashed', message: 'Signalbox was stopped' }, run.lastMeter)
    await this.#threads.close()
  }

  #waitForTurn(run: Run): void {
    this.#queue.add(run.job.owner, run)
    this.#next()
    if (run.state !== 'queued') return
    const mostMs = this.#settings.longestWaitMs ?? longestWaitMs
    run.waitTimer = setTimeout(() => this.#end(run, { how: 'busy', waitedMs: mostMs }), mostMs)
  }

  #waitForOutcomes(run: Run, settled: readonly Settled[]): void {
    run.state = 'parked'
    for (const one of settled) this.#settle(run, one)
  }

  /** It has begun before: it is the first of its owner's. */
  #goOn(run: Run): void {
    run.state = 'queued'
    this.#queue.add(run.job.owner, run, true)
    this.#next()
  }

  /** Gives free threads to whoever waits, and of them to whoever has fewest. */
  #next(): void {
    while (this.#queue.size > 0) {
      const thread = this.#threads.free()
      const run = thread && this.#queue.next(this.#heldOf)
      if (!run) break
      this.#start(thread, run)
    }
    this.#threads.provide(this.#queue.size)
    if (this.#queue.size === 0) return
    this.#makeRoom()
    this.#stallTimer ??= setTimeout(() => this.#passBy(), stallMs).unref()
  }

  /** There may be more threads than `max`, but not for one and the same. */
  readonly #heldOf = (owner: string): number => {
    const held = this.#held.get(owner) ?? 0
    return held < this.#settings.max ? held : Infinity
  }

  #hold(owner: string, more: 1 | -1): void {
    const held = (this.#held.get(owner) ?? 0) + more
    if (held > 0) this.#held.set(owner, held)
    else this.#held.delete(owner)
  }

  /** Whoever has no thread does not wait for those who do not let go of theirs. */
  #passBy(): void {
    this.#stallTimer = undefined
    if (this.#queue.size === 0 || this.#isClosed) return
    if (this.#queue.owners.some((owner) => !this.#held.has(owner))) this.#threads.provideBeyond()
    this.#next()
  }

  #start(thread: PoolThread, run: Run): void {
    clearTimeout(run.waitTimer)
    run.thread = thread
    this.#hold(run.job.owner, 1)
    run.state = 'running'
    run.activeAt = performance.now()
    thread.take(run.id)
    this.#awaitStep(thread)
    run.clock.start()
    const { id, from, timing } = run
    const { limits } = run.job
    if ('code' in from)
      thread.tell({ type: 'begin', id, code: from.code, setting: from.setting, limits, timing })
    else {
      const { frozen, meter, image } = from
      const settled = run.settled.splice(0)
      thread.tell({ type: 'thaw', id, frozen, meter, limits, timing, settled, ...thread.bring(image) })
    }
    if (run.onFrozen.length > 0) this.#park(run)
  }

  /** Before a step. With several runs at once there is always something else to do. */
  #awaitStep(thread: PoolThread): void {
    const isAlone = this.#threads.busy === 1
    thread.isAlone = isAlone
    if (isAlone) this.#attention.pay()
  }

  /** Somebody waits for a thread: whoever only holds one, and waits for something else, is taken out of it. */
  #makeRoom(): void {
    this.#roomTimer ??= setTimeout(() => {
      this.#roomTimer = undefined
      this.#parkIdle()
    }, patienceMs)
  }

  #parkIdle(): void {
    const idleSince = performance.now() - patienceMs
    let wanted = this.#queue.size
    let canWait = false
    for (const { run: id, isInStep } of this.#threads) {
      const run = id === undefined ? undefined : this.#runs.get(id)
      if (wanted === 0 || run?.state !== 'running' || run.pending.size === 0) continue
      canWait = true
      if (isInStep || run.activeAt > idleSince) continue
      this.#park(run)
      wanted -= 1
    }
    if (wanted > 0 && canWait) this.#makeRoom()
  }

  #park(run: Run): void {
    if (run.state !== 'running') return
    run.state = 'parking'
    run.thread?.tell({ type: 'park', id: run.id })
  }

  #hear(message: FromThread): void {
    if (message.type === 'ready') return
    const run = this.#runs.get(message.id)
    if (!run) return
    this.#attention.end()
    if (message.type === 'log') run.job.hands.log(message.level, message.text)
    else if (message.type === 'call') this.#call(run, message)
    else if (message.type === 'late') this.#late(run)
    else if (message.type === 'ended') this.#ended(run, message.ending, message.meter)
    else this.#parked(run, message)
  }

  #call(run: Run, { call, kind, name, given }: Extract<FromThread, { type: 'call' }>): void {
    run.pending.add(call)
    run.calls += 1
    run.activeAt = performance.now()
    if (this.#queue.size > 0) this.#makeRoom()
    run.job.hands.call(call, kind, name, given).then(
      (text) => this.#settle(run, { call, isFine: true, text }),
      (error: unknown) => this.#settle(run, { call, isFine: false, text: toldError(error) }),
    )
  }

  #settle(run: Run, settled: Settled): void {
    if (run.state === 'ended' || !run.pending.delete(settled.call)) return
    run.activeAt = performance.now()
    if (run.state === 'running' && run.thread) {
      this.#awaitStep(run.thread)
      return run.thread.tell({ type: 'settle', id: run.id, ...settled })
    }
    run.settled.push(settled)
    if (run.state === 'parked') this.#goOn(run)
  }

  #parked(run: Run, { frozen, meter }: Extract<FromThread, { type: 'parked' }>): void {
    this.#release(run)
    const image = 'frozen' in run.from ? run.from.image : undefined
    const metered = { ...meter, executionMs: run.clock.usedMs }
    run.from = { frozen, meter: metered, settled: [], ...(image ? { image } : {}) }
    run.state = 'parked'
    if (run.settled.length > 0) return this.#goOn(run)
    if (run.onFrozen.length > 0) this.#gone(run, run.from)
    this.#next()
  }

  #freeze(run: Run): Promise<FrozenJob | undefined> {
    const { promise, resolve } = Promise.withResolvers<FrozenJob | undefined>()
    if (run.state === 'ended') resolve(undefined)
    else {
      run.onFrozen.push(resolve)
      if (run.state === 'running') this.#park(run)
      else if (run.state === 'parked' && 'frozen' in run.from) this.#gone(run, run.from)
    }
    return promise
  }

  /** It was taken out for good. */
  #gone(run: Run, { frozen, meter }: FrozenJob): void {
    this.#forget(run)
    run.onEnd(undefined)
    for (const tell of run.onFrozen) tell({ frozen, meter })
  }

  #alarm(run: Run): void {
    if (run.leftMs > 0) this.#late(run)
    else this.#end(run, { how: 'timeout', of: 'wall' })
  }

  #late(run: Run): void {
    const { isExtendable, hands, timeoutMs } = run.job
    if (!isExtendable || run.isLate) return
    run.isLate = true
    hands.log('warn', `Its time of ${timeoutMs} ms is used up, and it is given as much once more`)
  }

  #end(run: Run, ending: Ending): void {
    if (run.state === 'ended') return
    if (run.state !== 'running' && run.state !== 'parking') return this.#ended(run, ending, run.lastMeter)
    run.asked ??= { ending, at: performance.now() }
    run.thread?.stop()
    run.thread?.tell({ type: 'end', id: run.id, ending })
  }

  #ended(run: Run, ending: Ending, meter: RunMeter): void {
    const asked = ending.how === 'cancelled' ? askedOf(run, ending.stack) : undefined
    const executionMs = run.clock.usedMs
    if (run.state === 'queued') this.#queue.remove(run.job.owner, run)
    this.#release(run)
    this.#forget(run)
    run.onEnd({ ending: asked ?? ending, meter: { ...meter, executionMs } })
    for (const tell of run.onFrozen) tell(undefined)
    this.#next()
  }

  #release(run: Run): void {
    const { thread } = run
    run.thread = undefined
    if (!thread) return
    this.#hold(run.job.owner, -1)
    thread.leave()
    this.#threads.released(thread)
  }

  #forget(run: Run): void {
    clearTimeout(run.waitTimer)
    run.clock.stop()
    run.state = 'ended'
    this.#runs.delete(run.id)
  }

  #isOverdue(id: number): boolean {
    const run = this.#runs.get(id)
    if (!run) return false
    return run.leftMs < -graceMs || (run.asked !== undefined && performance.now() - run.asked.at > graceMs)
  }

  /** A thread is gone, and what it held with it. */
  #lost(id: number | undefined, why: Gone): void {
    const run = id === undefined ? undefined : this.#runs.get(id)
    if (run) this.#ended(run, endingOf(run, why), meterOf(run, why))
    if (!this.#isClosed) this.#next()
  }
}

/** How somebody wanted it to end, with where it was then. */
function askedOf({ asked }: Run, stack: string | undefined): Ending | undefined {
  return asked?.ending.how === 'timeout' && stack ? { ...asked.ending, stack } : asked?.ending
}

function endingOf(run: Run, why: Gone): Ending {
  if (why.because === 'lost') return { how: 'crashed', message: why.message }
  if (why.because === 'cpu') return { how: 'timeout', of: 'cpu' }
  return run.asked?.ending ?? { how: 'timeout', of: 'wall' }
}

/** Of a run whose thread is gone: what was seen of it last. */
function meterOf({ lastMeter, thread, cpuMs: most, calls }: Run, why: Gone): RunMeter {
  const seen = thread?.used ?? lastMeter
  const over = why.because === 'lost' ? undefined : why.cpuOverMs
  const cpuMs = Math.max(lastMeter.cpuMs, seen.cpuMs, over === undefined ? 0 : most + over)
  return { ...lastMeter, cpuMs, memoryBytes: Math.max(lastMeter.memoryBytes, seen.memoryBytes), calls }
}
