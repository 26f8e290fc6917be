/** What one viewer is sent, no faster than it draws. */
export interface Outlet {
  take(bytes: Buffer): void
  /** What waits goes now: what follows is of something else. */
  flush(): void
  /** So many of all bytes were drawn. False when that cannot be. */
  drawn(bytes: number): boolean
  /** Nothing more should come for now. */
  readonly isPaused: boolean
  close(): void
}

interface Needs {
  send: (bytes: Buffer) => void
  /** Too much is on its way: nothing more should come; and that it may again. */
  pause: () => void
  resume: () => void
}

/** Between these it flows: what a browser draws in some hundredths of a second. */
const most = 512 * 1024
const few = 128 * 1024
const largestFrame = 64 * 1024
/** While much comes, small pieces are gathered for so long; the first one after a silence goes at once. */
const gatherMs = 2

export function openOutlet({ send, pause, resume }: Needs): Outlet {
  let waiting: Buffer[] = []
  let size = 0
  let sent = 0
  let drawn = 0
  let isPaused = false
  let lastAt = 0
  let soon: NodeJS.Immediate | undefined
  let later: NodeJS.Timeout | undefined

  function flush(): void {
    clearImmediate(soon)
    clearTimeout(later)
    soon = later = undefined
    if (size === 0) return
    const bytes = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting, size)
    waiting = []
    size = 0
    lastAt = performance.now()
    send(bytes)
    sent += bytes.length
    if (sent - drawn <= most || isPaused) return
    isPaused = true
    pause()
  }

  return {
    take(bytes) {
      waiting.push(bytes)
      size += bytes.length
      if (size >= largestFrame) flush()
      else if (!soon && !later) {
        if (performance.now() - lastAt < gatherMs) later = setTimeout(flush, gatherMs)
        else soon = setImmediate(flush)
      }
    },
    flush,
    drawn(bytes) {
      if (bytes > sent) return false
      drawn = Math.max(drawn, bytes)
      if (isPaused && sent - drawn < few) {
        isPaused = false
        resume()
      }
      return true
    },
    get isPaused() {
      return isPaused
    },
    close() {
      clearImmediate(soon)
      clearTimeout(later)
      waiting = []
      size = 0
    },
  }
}
