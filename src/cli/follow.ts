import { setTimeout as pause } from 'node:timers/promises'
import { frameCutter } from '#contract/sse-frame.ts'
import type { Frame } from '#contract/sse-frame.ts'
import { open, Unreachable } from './client.ts'
import type { Connection } from './connection.ts'

/** The server writes at least a comment every 15 s; a stream silent for longer than this is dead. */
const SILENCE_MS = 40_000
const LONGEST_PAUSE_MS = 5000

export interface Follower {
  /** Takes one frame; `true` when there is nothing more to wait for. What it throws ends the following. */
  take: (frame: Frame) => boolean | Promise<boolean>
  /** Told once each time the stream could not be had: it is tried again until it can. */
  onLost?: () => void
  signal?: AbortSignal
  pauseMs?: (failures: number) => number
}

const doubling = (failures: number) => Math.min(LONGEST_PAUSE_MS, 125 * 2 ** failures)

/** Reads a stream of server-sent events to its end, resuming after the last one seen whatever restarts in between. */
export async function follow(connection: Connection, path: string, follower: Follower): Promise<void> {
  const { take, onLost, signal, pauseMs = doubling } = follower
  let lastId: string | undefined
  for (let failures = 0; !signal?.aborted;) {
    let hasHeard = false
    for await (const frame of framesOf(connection, path, lastId, signal)) {
      hasHeard = true
      if (await take(frame)) return
      lastId = frame.id ?? lastId
    }
    if (signal?.aborted) return
    failures = hasHeard ? 0 : failures + 1
    // One cut is normal: only when the next attempt fails too is anybody bothered.
    if (failures === 1) onLost?.()
    if (failures > 0) await pause(pauseMs(failures), undefined, signal && { signal }).catch(() => undefined)
  }
}

/** The frames of one connection; ends without a word when it is cut. */
async function* framesOf(
  connection: Connection,
  path: string,
  lastId: string | undefined,
  stop: AbortSignal | undefined,
): AsyncGenerator<Frame> {
  const cutOff = new AbortController()
  const signal = stop ? AbortSignal.any([stop, cutOff.signal]) : cutOff.signal
  let silence = setTimeout(() => cutOff.abort(), SILENCE_MS)
  try {
    const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) }
    const answer = await open(connection, path, { headers, signal })
    const cut = frameCutter()
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    for (let piece = await next(reader); piece !== undefined; piece = await next(reader)) {
      clearTimeout(silence)
      yield* cut(piece)
      // Only now: whoever takes the frames may be slow, and that is not the server's silence.
      silence = setTimeout(() => cutOff.abort(), SILENCE_MS)
    }
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
  } finally {
    clearTimeout(silence)
    cutOff.abort()
  }
}

async function next(reader: ReadableStreamDefaultReader<string> | undefined): Promise<string | undefined> {
  const piece = await reader?.read().catch(() => undefined)
  return piece?.value
}
