import { createHash } from 'node:crypto'
import type { OfferedTool } from '../port.ts'

/** The tools of an upstream as they were told last, also while it is lost. */
export interface KeptTools {
  now: () => readonly OfferedTool[]
  /** They were told once. */
  isKnown: () => boolean
  /** Reads them, and tells if they are others. Rejects when they cannot be read. */
  read: (from: () => Promise<OfferedTool[]>) => Promise<void>
  /** They may have changed: reads them soon, once for all who say so meanwhile. */
  readSoon: (from: () => Promise<OfferedTool[]>) => void
  close: () => void
}

/**
 * A server that says a hundred times a second that its tools have changed is not read a hundred times; and one that goes on and on is
 * read ever more seldom, until it has been quiet for a while.
 */
const [shortestPauseMs, longestPauseMs] = [250, 60_000]
const readsAtOnce = 4
const quietMs = 5_000

export function keepTools(onChange: () => void, onFailure: (error: unknown) => void): KeptTools {
  let tools: readonly OfferedTool[] = []
  let hash = ''
  let soon: NodeJS.Timeout | undefined
  let isReading = false
  let isAskedAgain = false
  let isClosed = false
  let [readAt, inARow] = [0, 0]

  function nextPauseMs(): number {
    const pause = () => Math.min(longestPauseMs, shortestPauseMs * 2 ** Math.max(0, inARow - readsAtOnce))
    inARow = Date.now() - readAt > Math.max(quietMs, 2 * pause()) ? 0 : inARow + 1
    return pause()
  }

  async function read(from: () => Promise<OfferedTool[]>): Promise<void> {
    const found = await from()
    const foundHash = createHash('sha256').update(JSON.stringify(found)).digest('base64')
    if (foundHash === hash) return
    tools = found
    hash = foundHash
    onChange()
  }

  function readSoon(from: () => Promise<OfferedTool[]>): void {
    isAskedAgain = isReading
    if (isReading || soon || isClosed) return
    soon = setTimeout(() => {
      soon = undefined
      isReading = true
      void read(from)
        .catch(onFailure)
        .finally(() => {
          isReading = false
          readAt = Date.now()
          if (isAskedAgain) readSoon(from)
        })
    }, nextPauseMs())
  }
  return {
    now: () => tools,
    isKnown: () => hash !== '',
    read,
    readSoon,
    close() {
      isClosed = true
      clearTimeout(soon)
    },
  }
}
