/** So many at the same time; the others wait, and come in the order in which they asked. */
export interface Turns {
  /** Rejects with the signal's reason when it comes before the turn does. */
  inTurn<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>
}

export function openTurns(most: number): Turns {
  let running = 0
  const waiting = new Set<() => void>()

  function leave(): void {
    const [next] = waiting
    if (!next) return void (running -= 1)
    waiting.delete(next)
    next()
  }

  function turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        waiting.delete(begin)
        reject(signal.reason as Error)
      }
      const begin = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      waiting.add(begin)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  return {
    async inTurn(work, signal) {
      signal.throwIfAborted()
      if (running < most) running += 1
      else await turn(signal)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
