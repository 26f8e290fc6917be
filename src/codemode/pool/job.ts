import type { Frozen } from '../sandbox/frozen.ts'
import type { Image } from '../sandbox/image.ts'
import type { CallKind, Ending, RunLimits, RunMeter, RunSetting } from '../sandbox/run.ts'
import type { Settled } from './messages.ts'

/** What a run needs from outside while it runs. */
export interface RunHands {
  /** Resolves with JSON (or nothing at all), rejects with an error that the code sees. `given` is a JSON array. */
  call(call: number, kind: CallKind, name: string, given: string): Promise<string>
  log(level: string, text: string): void
}

export interface Job {
  /** Whose it is: nobody keeps the others waiting by asking for more. */
  owner: string
  /** `cpuMs` is what it may use of its time, `memoryBytes` at most what the image allows. */
  limits: RunLimits
  /** From its first step to its end. The time in which it is frozen, or waits for its turn at first, does not count. */
  timeoutMs: number
  /** Its time, and its share of the processor, once more: told in a line of its log. */
  isExtendable?: boolean
  /** What its clock shows; null for the real one. */
  clockMs: number | null
  hands: RunHands
  from: { code: string; setting: RunSetting } | Thawed
}

/** Goes on when the first outcome is there: one of these, or one that is settled later. */
export interface Thawed {
  frozen: Frozen
  meter: RunMeter
  settled: readonly Settled[]
  /** Over which it was frozen, when that is another one than the pool's. */
  image?: Image
}

export interface Ran {
  ending: Ending
  meter: RunMeter
}

export interface FrozenJob {
  frozen: Frozen
  meter: RunMeter
}

export interface LiveRun {
  /** Never rejects. Undefined once it was frozen: it goes on elsewhere then. */
  ended: Promise<Ran | undefined>
  /** Takes it out for good, as soon as it waits. Undefined when it has ended meanwhile. */
  freeze(): Promise<FrozenJob | undefined>
  /** The outcome of a call that it was frozen with. One that nobody waits for is ignored. */
  settle(settled: Settled): void
  /** Ends it, also in the middle of a step. */
  end(ending: Ending): void
}

export interface PoolSettings {
  min: number
  /** Of threads, and what one owner has at most. There are more only for owners who have none while all others are kept busy. */
  max: number
  /** A thread beyond `min` that was not needed for so long is let go. */
  idleMs: number
  /** Runs that wait for their turn, altogether and of one owner. */
  mostWaiting: number
  mostWaitingOfOne: number
  /** Whoever waited for so long without having begun is told that all are busy; 30 s, if it is not said. */
  longestWaitMs?: number
  /** Look after every run whether the memory is as it was before; a thread in which it is not gives up. */
  isVerified?: boolean
}

export interface Load {
  threads: number
  busy: number
  waiting: number
  live: number
  /** Threads that ended by themselves, and that had to be ended because they did not come back; since the beginning. */
  crashed: number
  stuck: number
}

/** Nobody is let in any more for now. */
export class PoolFull extends Error {}
