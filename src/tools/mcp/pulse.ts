import type { CallFailed } from '../port.ts'
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

  async function beat(): Promise<void> {
    const link = patient.link()
    // Who works on something may have no time to answer, and its call has a time-out of its own.
    if (!link || beating === link || link.isBusy()) return
    beating = link
    beatAt = Date.now()
    const why = await link.check()
    beating = undefined
    if (why && !link.isBusy() && patient.link() === link) patient.onDead(link, why)
  }

  function beatIn(ms: number): void {
    clearTimeout(next)
    if (isClosed) return
    next = setTimeout(() => {
      beatIn(everyMs * (0.75 + Math.random() / 2))
      void beat()
    }, ms)
  }
  beatIn(everyMs)
  return {
    beatNow: () => beatIn(Math.max(0, beatAt + betweenBeatsMs - Date.now())),
    close() {
      isClosed = true
      clearTimeout(next)
    },
  }
}
