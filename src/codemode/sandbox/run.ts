// What is said of one run, in the terms of the sandbox.

export type CallKind = 'mcp' | 'network' | 'files' | 'timer'

/** What a run tells while it runs. Everything is text: nothing of the inside is an object out here. */
export interface RunEars {
  onCall(id: number, kind: CallKind, name: string, given: string): void
  onLog(level: string, text: string): void
  /** Its share of the processor is used up for the first time, and it has another one. */
  onLate(): void
  /** Once, and nothing after it. */
  onEnd(ending: Ending): void
}

export type Ending =
  | { how: 'returned'; text: string }
  | { how: 'threw'; error: GuestError }
  /** `stack` is where it was then, when that can be told. */
  | { how: 'timeout'; of: 'wall' | 'cpu'; stack?: string }
  | { how: 'memory'; stack?: string }
  | { how: 'too-much'; what: TooMuch; limit: number }
  /** Nobody wants it any more. */
  | { how: 'cancelled'; message: string; stack?: string }
  /** It has not begun: all threads were busy for too long. */
  | { how: 'busy'; waitedMs: number }
  /** The machine underneath gave up; the instance is of no use any more. */
  | { how: 'crashed'; message: string }

/** `depth`: of a result, or of what a call is given. `pending`: calls at once. `arguments`: bytes of the arguments of the calls that are pending. */
export type TooMuch = 'result' | 'depth' | 'calls' | 'pending' | 'arguments'

export interface GuestError {
  name: string
  message: string
  stack?: string
  code?: string
  kind?: string
  details?: unknown
  /** It was no Error that was thrown. */
  thrown?: boolean
  /** Its syntax is wrong: it has not begun. */
  isUnread?: boolean
}

export interface RunLimits {
  /** Milliseconds in the run itself, waiting not counted. */
  cpuMs: number
  memoryBytes: number
  /** Also of the arguments of all calls that are pending. */
  resultBytes: number
  /** What is said beyond it is left out, and that is said. */
  logBytes: number
  calls: number
  /** Calls at once: `mostPending`, if it is not said. */
  pending?: number
}

export const mostPending = 1_000

export interface RunSetting {
  seed: readonly number[]
  context: unknown
  /** The code may close the function that it is the body of: whether it can be read by itself is looked at before it runs. */
  isUnread?: boolean
}

export interface RunMeter {
  /** From its first step on, without the time in which it was frozen. */
  executionMs: number
  cpuMs: number
  calls: number
  logBytes: number
  memoryBytes: number
}

export const noMeter: Readonly<RunMeter> = {
  executionMs: 0,
  cpuMs: 0,
  calls: 0,
  logBytes: 0,
  memoryBytes: 0,
}

export interface RunTime {
  /** Of performance.now(). */
  wallUntil: number
  /** Nanoseconds that stand still, or a clock to read. */
  clock: bigint | (() => bigint)
  /** Its share of the processor once more. */
  isExtendable: boolean
  /** Asked now and then in the middle of its steps. */
  isStopped(): boolean
}

export const neverSettles = 'It never ends: it waits for something that nobody will answer'
