/** A longer timer goes off at once. */
const longestTimerMs = 2 ** 31 - 1

/** Goes off once when its time is up. While it is held, no time passes. */
export interface Clock {
  hold(): void
  goOn(): void
  stop(): void
}

export function startClock(ms: number, onUp: () => void): Clock {
  let left = ms
  let isStopped = false
  let since = performance.now()
  let timer: NodeJS.Timeout | undefined = setTimeout(onUp, Math.min(left, longestTimerMs))
  return {
    hold() {
      if (timer === undefined) return
      clearTimeout(timer)
      timer = undefined
      left -= performance.now() - since
    },
    goOn() {
      if (timer !== undefined || isStopped) return
      since = performance.now()
      timer = setTimeout(onUp, Math.min(Math.max(left, 0), longestTimerMs))
    },
    stop() {
      clearTimeout(timer)
      isStopped = true
    },
  }
}
