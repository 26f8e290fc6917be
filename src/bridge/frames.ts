import type { Chunk } from '#contract/agent-event.ts'

// A UI message stream, as the AI SDK reads it: server-sent events, one for each chunk.

export const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
  'x-vercel-ai-ui-message-stream': 'v1',
}

const encoder = new TextEncoder()

export const frameOf = (chunk: Chunk): Uint8Array => encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)

/** After it nothing is read. */
export const lastFrame = (chunk: Chunk): Uint8Array =>
  encoder.encode(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)

export const heartbeat = encoder.encode(': alive\n\n')

/** Beyond this a reader is too slow to be waited for: the turn goes on, and it may come again. */
const mostUnread = 16 * 1024 * 1024

export interface FrameReader {
  bytes: ReadableStream<Uint8Array>
  /** What was told before it came: all of it, however much that is. */
  catchUp(frame: Uint8Array): void
  send(frame: Uint8Array): void
  close(last: Uint8Array): void
}

/** `gone` is called when nobody reads any more. */
export function openFrames(gone: () => void): FrameReader {
  let controller: ReadableStreamDefaultController<Uint8Array>
  let isOver = false
  let toCatchUp = 0
  const leave = () => {
    isOver = true
    gone()
  }
  const bytes = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      cancel: leave,
    },
    { highWaterMark: mostUnread, size: (frame) => frame.byteLength },
  )
  return {
    bytes,
    catchUp(frame) {
      toCatchUp += frame.byteLength
      controller.enqueue(frame)
    },
    send(frame) {
      if (isOver) return
      controller.enqueue(frame)
      if ((controller.desiredSize ?? 0) + toCatchUp > 0) return
      leave()
      controller.error(new Error('Too slow a reader'))
    },
    close(last) {
      if (isOver) return
      isOver = true
      controller.enqueue(last)
      controller.close()
    },
  }
}
