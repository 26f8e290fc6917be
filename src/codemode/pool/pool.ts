import type { Frozen } from '../sandbox/frozen.ts'
import type { Image } from '../sandbox/image.ts'
import type { CallKind, Ending, RunLimits, RunMeter, RunSetting } from '../sandbox/vm.ts'
import type { FromThread, RunTiming, Settled } from './messages.ts'
import { PoolThread } from './pool-thread.ts'
import { RunQueue } from './run-queue.ts'

/** What a run needs from outside while it runs. */
export interface RunHands {
  /** Resolves with JSON (or nothing at all), rejects with an error that the code sees. */
  call(call: number, kind: CallKind, name: string, given: string): Promise<string>
  log(level: string, text: string): void
}

export interface Job {
  /** Whose it is: nobody keeps the others waiting by asking for more. */
  owner: string
  limits: RunLimits
  timeoutMs: number
  /** What its clock shows; null for the real one. */
  clockMs: number | null
  hands: RunHands
  from: { code: string; setting: RunSetting } | { frozen: Frozen; meter: RunMeter; settled: Settled[] }
}

export interface Ran {
  ending: Ending
  meter: RunMeter
}

export interface LiveRun {
  /** Never rejects. Undefined once it was frozen: it goes on elsewhere then. */
  ended: Promise<Ran | undefined>
  /** Takes it out for good, as soon as it waits. Undefined when it has ended meanwhile. */
  freeze(): Promise<{ frozen: Frozen; meter: RunMeter } | undefined>
  end(ending: Ending): void
}

export interface PoolSettings {
  min: number
  max: number
  idleMs: number
  /** Runs that wait for their turn, altogether and of one owner. */
  mostWaiting: number
  mostWaitingOfOne: number
}

/** Nobody is let in any more for now. */
export class PoolFull extends Error {}

interface Run extends Job {
  id: number
  until: number
  /** `parking`: it was told to come out; what is settled meanwhile is given to it when it goes on. */
  state: 'queued' | 'running' | 'parking' | 'parked' | 'ended'
  thread?: PoolThread
  /** Calls that are under way; none of them, and the run is in one of its own steps or waits for nothing. */
  calls: number
  settled: Settled[]
  timer: NodeJS.Timeout | undefined
  onEnd: (ran: Ran | undefined) => void
  onFrozen: ((frozen: { frozen: Frozen; meter: RunMeter } | undefined) => void)[]
}

/** A run that waits longer than this makes room for others that wait for a thread. */
const patienceMs = 3

/** The threads in which code runs. A thread holds one run; one that waits for something can be taken out and go on in another. */
export class Pool {
  readonly #image: Image
  readonly #settings: PoolSettings
  readonly #threads = new Set<PoolThread>()
  readonly #queue = new RunQueue<Run>()
  readonly #runs = new Map<number, Run>()
  #last = 0
  #isClosed = false

  constructor(image: Image, settings: PoolSettings) {
    this.#image = image
    this.#settings = settings
    for (let count = 0; count < settings.min; count += 1) this.#open()
  }

  get load(): { threads: number; busy: number; waiting: number; live: number } {
    const threads = [...this.#threads]
    return {
      threads: threads.length,
      busy: threads.filter((thread) => thread.run !== undefined).length,
      waiting: this.#queue.size,
      live: this.#runs.size,
    }
  }

  run(job: Job): LiveRun {
    const { mostWaiting, mostWaitingOfOne } = this.#settings
    if (this.#isClosed) throw new PoolFull('Code is not run any more: Signalbox is being stopped')
    if (this.#queue.size >= mostWaiting || this.#queue.sizeOf(job.owner) >= mostWaitingOfOne)
      throw new PoolFull(`${this.#queue.size} executions wait for their turn already`)
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<Ran | undefined>()
    const run: Run = {
      ...job,
      id: (this.#last += 1),
      until: performance.now() + job.timeoutMs,
      state: 'queued',
      calls: 'frozen' in job.from ? 1 : 0,
      settled: 'frozen' in job.from ? job.from.settled : [],
      timer: undefined,
      onEnd,
      onFrozen: [],
    }
    run.timer = setTimeout(() => this.#end(run, { how: 'timeout', of: 'wall' }), job.timeoutMs + 20)
    this.#runs.set(run.id, run)
    this.#queue.add(run.owner, run)
    this.#next()
    return {
      ended,
      freeze: () => this.#freeze(run),
      end: (ending) => this.#end(run, ending),
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const run of this.#runs.values())
      this.#end(run, { how: 'crashed', message: 'Signalbox was stopped' })
    await Promise.all([...this.#threads].map((thread) => thread.close()))
  }

  #open(): PoolThread {
    const thread = new PoolThread(this.#image, {
      onMessage: (message) => this.#hear(message),
      onGone: (message) => this.#lost(thread, message),
      isStuck: (run, sinceMs) => this.#isStuck(run, sinceMs),
    })
    this.#threads.add(thread)
    return thread
  }

  /** Gives free threads to whoever waits. */
  #next(): void {
    while (this.#queue.size > 0) {
      const thread = this.#freeThread()
      if (!thread) return this.#makeRoom()
      const run = this.#queue.next()
      if (!run) return
      this.#start(thread, run)
    }
  }

  #freeThread(): PoolThread | undefined {
    for (const thread of this.#threads) if (thread.run === undefined) return thread
    return this.#threads.size < this.#settings.max ? this.#open() : undefined
  }

  #start(thread: PoolThread, run: Run): void {
    run.thread = thread
    run.state = 'running'
    thread.take(run.id)
    const { id, limits, from } = run
    const timing: RunTiming = { leftMs: run.until - performance.now(), clockMs: run.clockMs }
    if ('code' in from)
      thread.tell({ type: 'begin', id, code: from.code, setting: from.setting, limits, timing })
    else {
      const settled = run.settled.splice(0)
      thread.tell({ type: 'thaw', id, frozen: from.frozen, meter: from.meter, limits, timing, settled })
    }
  }

  /** Somebody waits for a thread: whoever only holds one, and waits for something else, is taken out of it. */
  #makeRoom(): void {
    for (const thread of this.#threads) thread.whenIdle(patienceMs, () => this.#parkIdle(thread))
  }

  #parkIdle(thread: PoolThread): void {
    const run = thread.run === undefined ? undefined : this.#runs.get(thread.run)
    if (run && run.calls > 0 && this.#queue.size > 0) this.#park(run)
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
    if (message.type === 'log') run.hands.log(message.level, message.text)
    else if (message.type === 'call') this.#call(run, message)
    else if (message.type === 'ended') this.#ended(run, { ending: message.ending, meter: message.meter })
    else this.#parked(run, message)
  }

  #call(run: Run, { call, kind, name, given }: Extract<FromThread, { type: 'call' }>): void {
    run.calls += 1
    if (this.#queue.size > 0) this.#makeRoom()
    run.hands.call(call, kind, name, given).then(
      (text) => this.#settle(run, { call, isFine: true, text }),
      (error: unknown) => this.#settle(run, { call, isFine: false, text: JSON.stringify(told(error)) }),
    )
  }

  #settle(run: Run, settled: Settled): void {
    if (run.state === 'ended') return
    run.calls -= 1
    if (run.state === 'running') return run.thread?.tell({ type: 'settle', id: run.id, ...settled })
    run.settled.push(settled)
    if (run.state !== 'parked' || run.onFrozen.length > 0) return
    run.state = 'queued'
    this.#queue.add(run.owner, run, true)
    this.#next()
  }

  #parked(run: Run, { frozen, meter }: Extract<FromThread, { type: 'parked' }>): void {
    run.thread?.leave()
    delete run.thread
    run.from = { frozen, meter, settled: [] }
    run.state = 'parked'
    if (run.onFrozen.length > 0) return this.#gone(run, { frozen, meter })
    if (run.settled.length > 0) {
      run.state = 'queued'
      this.#queue.add(run.owner, run, true)
    }
    this.#next()
  }

  #freeze(run: Run): Promise<{ frozen: Frozen; meter: RunMeter } | undefined> {
    const { promise, resolve } = Promise.withResolvers<{ frozen: Frozen; meter: RunMeter } | undefined>()
    if (run.state === 'ended') resolve(undefined)
    else {
      run.onFrozen.push(resolve)
      if (run.state === 'running') this.#park(run)
      else if (run.state !== 'parking' && 'frozen' in run.from) this.#gone(run, run.from)
    }
    return promise
  }

  /** It was taken out for good. */
  #gone(run: Run, frozen: { frozen: Frozen; meter: RunMeter }): void {
    this.#queue.remove(run.owner, run)
    this.#forget(run)
    run.onEnd(undefined)
    for (const tell of run.onFrozen) tell(frozen)
    this.#next()
  }

  #end(run: Run, ending: Ending): void {
    if (run.state === 'ended') return
    if (run.state === 'running' || run.state === 'parking') {
      run.thread?.tell({ type: 'end', id: run.id, ending })
      return
    }
    this.#queue.remove(run.owner, run)
    const meter = 'frozen' in run.from ? run.from.meter : { cpuMs: 0, calls: 0, logBytes: 0, memoryBytes: 0 }
    this.#ended(run, { ending, meter })
  }

  #ended(run: Run, ran: Ran): void {
    run.thread?.leave()
    this.#forget(run)
    run.onEnd(ran)
    for (const tell of run.onFrozen) tell(undefined)
    this.#next()
    this.#shrink()
  }

  #forget(run: Run): void {
    clearTimeout(run.timer)
    run.state = 'ended'
    delete run.thread
    this.#runs.delete(run.id)
  }

  /** More threads than are kept for nothing: let go after a while in which none of them was needed. */
  #shrink(): void {
    const { min, idleMs } = this.#settings
    for (const thread of this.#threads) {
      if (this.#threads.size <= min) return
      if (thread.run !== undefined) continue
      thread.whenIdle(idleMs, () => {
        if (this.#threads.size <= min || thread.run !== undefined) return
        this.#threads.delete(thread)
        void thread.close()
      })
    }
  }

  /** Has the step that is under way gone on for longer than its run has left? Code that runs is ended by itself; this is for what is not asked. */
  #isStuck(id: number, sinceMs: number): boolean {
    const run = this.#runs.get(id)
    if (!run) return false
    return performance.now() > run.until + graceMs || sinceMs > run.limits.cpuMs + graceMs
  }

  #lost(thread: PoolThread, message: string): void {
    this.#threads.delete(thread)
    const run = thread.run === undefined ? undefined : this.#runs.get(thread.run)
    if (run) {
      const ending: Ending =
        message === 'stuck' ? { how: 'timeout', of: 'wall' } : { how: 'crashed', message }
      const meter = { cpuMs: run.limits.cpuMs, calls: 0, logBytes: 0, memoryBytes: run.limits.memoryBytes }
      delete run.thread
      this.#ended(run, { ending, meter })
    }
    if (!this.#isClosed && this.#threads.size < this.#settings.min) this.#open()
    this.#next()
  }
}

const graceMs = 250

/** What the code sees of an error of ours: a name, a message, and what was put there for it. */
function told(error: unknown): object {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message } = error
  const { code, kind, details } = error as { code?: unknown; kind?: unknown; details?: unknown }
  return { name, message, code, kind, details }
}
