import type { CallFailed } from '../port.ts'
import { neverAnswered } from './link.ts'
import type { Link } from './link.ts'

interface Patient {
  link: () => Link | undefined
  onDead: (link: Link, why: CallFailed) => void
}

/** Looks now and then whether the other side is there; and at once when something is strange. */
export interface Pulse {
  beatNow: () => void
  close: () => void
}

const everyMs = 15_000
const betweenBeatsMs = 1_000

export function openPulse(patient: Patient): Pulse {
  let next: NodeJS.Timeout | undefined
  let beating: Link | undefined
  let beatAt = 0
  let isClosed = false

  async function beat(isStrange: boolean): Promise<void> {
    const link = patient.link()
    // Who works on something may have no time to answer, and its call has a time-out of its own.
    if (!link || beating === link || (link.isBusy() && !isStrange)) return
    beating = link
    beatAt = Date.now()
    let why = await link.check()
    // A way that was cut once may only have been the old one.
    if (why && link.isBusy() && !why.isUnsent) why = await link.check()
    beating = undefined
    if (why && (!link.isBusy() || isGone(why)) && patient.link() === link) patient.onDead(link, why)
  }

  function beatIn(ms: number, isStrange = false): void {
    clearTimeout(next)
    if (isClosed) return
    next = setTimeout(() => {
      beatIn(everyMs * (0.75 + Math.random() / 2))
      void beat(isStrange)
    }, ms)
  }
  beatIn(everyMs)
  return {
    beatNow: () => beatIn(Math.max(0, beatAt + betweenBeatsMs - Date.now()), true),
    close() {
      isClosed = true
      clearTimeout(next)
    },
  }
}

/** Nobody is there, or nobody who knows of what is under way. Whoever says that it has no time is there. */
const isGone = (why: CallFailed): boolean =>
  why.reason === 'source_unavailable' && why !== neverAnswered && why.context === undefined
