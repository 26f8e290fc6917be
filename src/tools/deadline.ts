/** What can end a call from outside: its time, and whoever hangs up. `signal` says so, with the reason. */
export interface Deadline {
  readonly signal: AbortSignal
  leftMs(): number
  /** The clock stands still until this has ended. */
  standingStill<Result>(work: () => Promise<Result>): Promise<Result>
  /** Rejects as soon as the signal says so, whether the work listens to it or not. */
  hold<Result>(work: Promise<Result>): Promise<Result>
  end(reason: Error): void
  close(): void
}

export function openDeadline(ms: number, late: () => Error): Deadline {
  const ending = new AbortController()
  const { signal } = ending
  let restMs = ms
  /** None: it stands still. */
  let since: number | undefined = performance.now()
  let asked = 0
  let isClosed = false
  const over = () => ending.abort(late())
  let timer = setTimeout(over, ms)

  const leftMs = () => restMs - (since === undefined ? 0 : performance.now() - since)
  function stop() {
    clearTimeout(timer)
    restMs = leftMs()
    since = undefined
  }
  function goOn() {
    since = performance.now()
    timer = setTimeout(over, Math.max(0, restMs))
  }

  return {
    signal,
    leftMs,
    async standingStill(work) {
      asked += 1
      if (asked === 1) stop()
      try {
        return await work()
      } finally {
        asked -= 1
        if (asked === 0 && !isClosed && !signal.aborted) goOn()
      }
    },
    hold: (work) =>
      new Promise((resolve, reject) => {
        const give = () => reject(signal.reason as Error)
        if (signal.aborted) give()
        signal.addEventListener('abort', give, { once: true })
        void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give))
      }),
    end: (reason) => ending.abort(reason),
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
