/** The time of a turn, which does not pass while a person is asked. */
export interface TurnClock {
  /** Somebody is asked, until what it answers with is called. */
  hold(): () => void
  close(): void
}

export function openTurnClock(limitMs: number, onOver: () => void): TurnClock {
  let leftMs = limitMs
  let held = 0
  let since = performance.now()
  let timer: NodeJS.Timeout | undefined = setTimeout(onOver, leftMs)

  function goOn(): void {
    since = performance.now()
    timer = setTimeout(onOver, leftMs)
  }

  return {
    hold() {
      held += 1
      if (held === 1) {
        leftMs = Math.max(0, leftMs - (performance.now() - since))
        clearTimeout(timer)
      }
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        held -= 1
        if (held === 0) goOn()
      }
    },
    close() {
      held = Number.POSITIVE_INFINITY
      clearTimeout(timer)
    },
  }
}
