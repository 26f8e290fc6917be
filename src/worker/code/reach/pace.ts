const longestTimer = 2_147_483_647

/** So many each second, and as many as that at once after a rest; whoever is faster waits, in the order in which they came. */
export interface Pace {
  /** Rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<void>
}

export function openPace(perSecond: number): Pace {
  const everyMs = 1000 / perSecond
  const restMs = Math.max(0, 1000 - everyMs)
  /** When the next would be due, had all come evenly. */
  let due = -Infinity

  return {
    async take(signal) {
      signal.throwIfAborted()
      const now = performance.now()
      due = Math.max(due, now)
      const at = due - restMs
      due += everyMs
      // A timer may be early by a fraction of a millisecond.
      for (let left = at - now; left > 0; left = at - performance.now()) await pause(left, signal)
    },
  }
}

/** Rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const done = () => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    const timer = setTimeout(done, Math.min(Math.ceil(ms), longestTimer))
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
  })
}
