import type { Progress } from './port.ts'

/** Clients give up after a minute or so in which they hear nothing. */
const everyMs = 10_000
/** Less than what sources count in, so that what they tell afterwards is more by itself. */
const little = 1e-6

/** What a call tells on its way: that it waits for a person, and what its source says. It only ever increases, as MCP wants it. */
export interface Heartbeat {
  /** What the source says. */
  onProgress(progress: Progress): void
  /** Beats until this has ended. */
  whileAsking<Result>(work: () => Promise<Result>): Promise<Result>
  close(): void
}

export function openHeartbeat(tell: (progress: Progress) => void): Heartbeat {
  let told = 0
  let hasBeaten = false
  let asking = 0
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const next = () => (told += little)
  function beat() {
    hasBeaten = true
    tell({ progress: next(), message: 'Waits for a person to answer' })
  }
  function stop() {
    clearInterval(timer)
    timer = undefined
  }

  return {
    onProgress(progress) {
      // As long as we have not put in a word, it is passed on as it is, whatever it is.
      if (progress.progress > told) told = progress.progress
      else if (hasBeaten) return tell({ ...progress, progress: next() })
      tell(progress)
    },
    async whileAsking(work) {
      asking += 1
      if (!isClosed) timer ??= setInterval(beat, everyMs)
      try {
        return await work()
      } finally {
        asking -= 1
        if (asking === 0) stop()
      }
    },
    close() {
      isClosed = true
      stop()
    },
  }
}
