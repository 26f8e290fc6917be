import type { Frozen } from '../sandbox/frozen.ts'
import type { Image } from '../sandbox/image.ts'
import type { CallKind, Ending, RunLimits, RunMeter, RunSetting } from '../sandbox/run.ts'

// What the pool and its threads say to each other. Everything from the inside of a sandbox is text.

/** How long it may still take, and what its clock shows: null for the real one. */
export interface RunTiming {
  leftMs: number
  clockMs: number | null
  isExtendable: boolean
}

export type ToThread =
  | { type: 'begin'; id: number; code: string; setting: RunSetting; limits: RunLimits; timing: RunTiming }
  | {
      type: 'thaw'
      id: number
      frozen: Frozen
      meter: RunMeter
      limits: RunLimits
      timing: RunTiming
      settled: readonly Settled[]
      /** Over which it was frozen, where the thread does not have it; and one that it need not keep. */
      image?: Image
      forget?: string
    }
  | ({ type: 'settle'; id: number } & Settled)
  /** Between two steps, if it waits: it is taken out, and the thread is free. */
  | { type: 'park'; id: number }
  | { type: 'end'; id: number; ending: Ending }

export interface Settled {
  call: number
  isFine: boolean
  /** JSON of what it gave, nothing for undefined; or of the error. */
  text: string
}

export type FromThread =
  | { type: 'ready' }
  | { type: 'call'; id: number; call: number; kind: CallKind; name: string; given: string }
  | { type: 'log'; id: number; level: string; text: string }
  | { type: 'late'; id: number }
  | { type: 'ended'; id: number; ending: Ending; meter: RunMeter }
  | { type: 'parked'; id: number; frozen: Frozen; meter: RunMeter }
