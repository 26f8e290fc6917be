import type { StreamEvent } from '../src/contract/event.ts'
import { frameCutter } from '../src/contract/sse-frame.ts'
import type { Frame } from '../src/contract/sse-frame.ts'

/** `opening` only before the first answer; `lost` while we try again. */
export type LiveState = 'opening' | 'live' | 'lost'

export interface LiveOptions {
  url: string
  headers: () => Record<string, string>
  /** Every event once and in order, as many at a time as arrived together. */
  onEvents: (events: StreamEvent[]) => void
  /** Events may have been missed: whatever was read before now must be read again. */
  onGap: () => void
  onState: (state: LiveState) => void
  /** The key is not accepted (any more). Nothing is tried again. */
  onRefused: () => void
  /** The server writes at least a comment every 15 s; a stream silent for longer than this is dead. */
  silenceMs?: number
  pauseMs?: (failures: number) => number
}

export interface Live {
  close: () => void
  /** Tries again now instead of after the pause. */
  wake: () => void
}

const doubling = (failures: number) => Math.min(8000, 250 * 2 ** failures) * (0.75 + Math.random() / 2)

/** Follows a stream for as long as it is open: resumes after the last event seen, whatever breaks in between. */
export function openLive({ silenceMs = 40_000, pauseMs = doubling, ...options }: LiveOptions): Live {
  let isClosed = false
  let lastSeq: number | undefined
  let failures = 0
  let connection = new AbortController()
  let wake: (() => void) | undefined

  void follow()
  return {
    wake: () => wake?.(),
    close: () => {
      isClosed = true
      connection.abort()
      wake?.()
    },
  }

  async function follow(): Promise<void> {
    while (!isClosed) {
      const wasLive = await readUntilItEnds()
      if (isClosed) return
      failures = wasLive ? 0 : failures + 1
      // One cut is normal (a slow reader is dropped and resumes at once): only a second one in a row is told.
      if (!wasLive) options.onState('lost')
      await pause(wasLive ? 0 : pauseMs(failures))
    }
  }

  async function readUntilItEnds(): Promise<boolean> {
    connection = new AbortController()
    let isLive = false
    let silence = setTimeout(() => connection.abort(), Math.min(silenceMs, 10_000))
    try {
      const answer = await fetch(options.url, {
        headers: {
          ...options.headers(),
          Accept: 'text/event-stream',
          ...(lastSeq !== undefined && { 'Last-Event-ID': String(lastSeq) }),
        },
        cache: 'no-store',
        signal: connection.signal,
      })
      if (answer.status === 401) {
        isClosed = true
        options.onRefused()
      }
      if (!answer.ok || !answer.body) return false
      const cut = frameCutter()
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        clearTimeout(silence)
        silence = setTimeout(() => connection.abort(), silenceMs)
        const frames = cut(piece.value)
        if (frames.some((frame) => frame.event === 'ready')) {
          isLive = true
          options.onState('live')
        }
        take(frames)
      }
    } catch {
      // Cut off: by the network, by the server, or by the silence above.
    } finally {
      clearTimeout(silence)
      connection.abort()
    }
    return isLive
  }

  function take(frames: Frame[]): void {
    const events: StreamEvent[] = []
    for (const { event, data } of frames) {
      if (event === 'ready') meet((JSON.parse(data) as { seq: number }).seq)
      else if (lastSeq !== undefined) {
        const told = JSON.parse(data) as StreamEvent
        if (told.seq <= lastSeq) continue
        if (told.seq > lastSeq + 1) options.onGap()
        lastSeq = told.seq
        events.push(told)
      }
    }
    if (events.length > 0) options.onEvents(events)
  }

  /** On resuming, `ready` names the newest event but the missed ones come after it: only they move us on. */
  function meet(newest: number): void {
    if (lastSeq !== undefined && newest >= lastSeq) return
    lastSeq = newest
    options.onGap()
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
