import type { Ending, RunMeter } from '../sandbox/run.ts'
import { noMeter } from '../sandbox/run.ts'
import type { FrozenJob, Job, Ran } from './job.ts'
import type { RunTiming, Settled } from './messages.ts'
import type { PoolThread } from './pool-thread.ts'
import { RunClock } from './run-clock.ts'

/** The sandbox looks at the time itself; the pool is there for when it does not. */
const slackMs = 20

/** A run of the pool, wherever it is. */
export class Run {
  readonly id: number
  readonly job: Job
  readonly clock: RunClock
  /** `parking`: it was told to come out; what is settled meanwhile is given to it when it goes on. */
  state: 'queued' | 'running' | 'parking' | 'parked' | 'ended' = 'queued'
  from: Job['from']
  thread: PoolThread | undefined
  /** Calls that nobody has answered yet. */
  readonly pending: Set<number>
  settled: Settled[] = []
  /** When it was last heard of, or told something. */
  activeAt = 0
  /** How somebody wants it to end. */
  asked: { ending: Ending; at: number } | undefined
  isLate = false
  calls = 0
  waitTimer: NodeJS.Timeout | undefined
  readonly onFrozen: ((frozen: FrozenJob | undefined) => void)[] = []
  readonly onEnd: (ran: Ran | undefined) => void

  constructor(id: number, job: Job, onAlarm: () => void, onEnd: (ran: Ran | undefined) => void) {
    this.id = id
    this.job = job
    this.from = job.from
    this.onEnd = onEnd
    this.pending = new Set('frozen' in job.from ? job.from.frozen.calls : [])
    this.calls = this.lastMeter.calls
    const alarms = job.isExtendable ? [job.timeoutMs, this.#allMs + slackMs] : [this.#allMs + slackMs]
    this.clock = new RunClock(this.lastMeter.executionMs, alarms, onAlarm)
  }

  get #allMs(): number {
    return this.job.timeoutMs * (this.job.isExtendable ? 2 : 1)
  }

  /** What it may use of the processor, altogether. */
  get cpuMs(): number {
    return this.job.limits.cpuMs * (this.job.isExtendable ? 2 : 1)
  }

  get leftMs(): number {
    return this.#allMs - this.clock.usedMs
  }

  get timing(): RunTiming {
    const { clockMs, isExtendable = false } = this.job
    return { leftMs: this.leftMs, clockMs, isExtendable }
  }

  /** As it was when it was last taken out of a thread. */
  get lastMeter(): RunMeter {
    return 'frozen' in this.from ? this.from.meter : noMeter
  }
}
