import type { Chunk } from '#contract/agent-event.ts'
import type { TurnClock } from './turn-clock.ts'

/** Tells when a turn says nothing for long while nobody is asked anything, as a keeper does of an agent. */
export interface Silence {
  /** The same clock; while it is held nobody wonders. */
  clock: TurnClock
  heard(chunk: Chunk): void
}

interface Watched {
  stallMs: number
  /** Whoever drove it before has told that it is silent. */
  isStalled: boolean
  clock: TurnClock
  tell: (chunk: Chunk) => void
}

const lookMs = 1_000
/** What we say ourselves, not the model, and not its tools. */
const ours = new Set(['start-step', 'data-notice', 'data-stall'])

export function watchSilence({ stallMs, clock, tell, ...before }: Watched): Silence {
  let lastWord = performance.now()
  let held = 0
  let { isStalled } = before
  const timer = setInterval(look, Math.min(lookMs, stallMs / 4))

  function look(): void {
    const silentMs = performance.now() - lastWord
    if (isStalled || held > 0 || silentMs < stallMs) return
    isStalled = true
    tell({ type: 'data-stall', data: { silentMs: Math.round(silentMs) } })
  }

  function speaks(): void {
    lastWord = performance.now()
    if (!isStalled) return
    isStalled = false
    tell({ type: 'data-stall', data: { silentMs: false } })
  }

  return {
    heard({ type }) {
      if (!ours.has(type)) speaks()
    },
    clock: {
      ...clock,
      hold() {
        const goOn = clock.hold()
        held += 1
        let isHeld = true
        return () => {
          goOn()
          if (!isHeld) return
          isHeld = false
          held -= 1
          lastWord = performance.now()
        }
      },
      close() {
        clearInterval(timer)
        clock.close()
      },
    },
  }
}
