import { frameCutter } from '../src/contract/sse-frame.ts'
import type { Frame } from '../src/contract/sse-frame.ts'

export interface FollowOptions {
  url: string
  headers: () => Record<string, string>
  /** The id after which to resume. */
  resumeAfter: () => string | undefined
  onFrames: (frames: Frame[]) => void
  /** `live` with every connection that says something; `lost` while we try again. */
  onState: (state: 'live' | 'lost') => void
  /** An answer that is no stream. What it returns says whether that is final: then nothing is tried again. */
  onRefused: (answer: Response) => boolean
  /** The server writes at least a comment every 15 s; a stream silent for longer than this is dead. */
  silenceMs?: number
  pauseMs?: (failures: number) => number
}

export interface Following {
  close: () => void
  /** Tries again now instead of after the pause. */
  wake: () => void
}

const doubling = (failures: number) => Math.min(8000, 250 * 2 ** failures) * (0.75 + Math.random() / 2)

/** Reads a stream until it is closed, connecting anew whatever breaks in between. */
export function followFrames({
  silenceMs = 40_000,
  pauseMs = doubling,
  ...options
}: FollowOptions): Following {
  let isClosed = false
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
    const { signal } = connection
    let isLive = false
    let silence = setTimeout(() => connection.abort(), Math.min(silenceMs, 10_000))
    try {
      const lastId = options.resumeAfter()
      const answer = await fetch(options.url, {
        headers: {
          ...options.headers(),
          Accept: 'text/event-stream',
          ...(lastId !== undefined && { 'Last-Event-ID': lastId }),
        },
        cache: 'no-store',
        signal,
      })
      if (!answer.ok || !answer.body) {
        isClosed ||= options.onRefused(answer)
        return false
      }
      const cut = frameCutter()
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
      for (let piece = await reader.read(); !piece.done && !signal.aborted; piece = await reader.read()) {
        clearTimeout(silence)
        silence = setTimeout(() => connection.abort(), silenceMs)
        const frames = cut(piece.value)
        if (frames.length > 0 && !isLive) {
          isLive = true
          options.onState('live')
        }
        options.onFrames(frames)
      }
    } catch {
      // Cut off: by the network, by the server, or by the silence above.
    } finally {
      clearTimeout(silence)
      connection.abort()
    }
    return isLive
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
