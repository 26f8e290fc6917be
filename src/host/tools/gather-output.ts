import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'

type Take = (piece: Buffer) => Promise<unknown>

export interface Gathered {
  /** Resolves at the end of all streams. Never rejects: a stream that fails has ended. */
  all: Promise<unknown>
  /** Takes what is still on the way, and cuts the streams off that somebody holds open and says nothing on for this long. */
  end(silentMs: number): Promise<void>
}

/** Reads streams, each at the pace at which its pieces are taken: whoever writes waits. */
export function gather(streams: Record<string, [Readable, Take]>): Gathered {
  let [taking, heard] = [0, 0]
  const readAll = async (stream: Readable, take: Take): Promise<void> => {
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        heard += 1
        taking += 1
        await take(piece).finally(() => (taking -= 1))
      }
    } catch {
      // It was cut off.
    }
  }
  const all = Promise.all(Object.values(streams).map(([stream, take]) => readAll(stream, take)))
  return {
    all,
    async end(silentMs) {
      let isOver = false
      void all.then(() => (isOver = true))
      for (let before = -1; !isOver && (taking > 0 || heard !== before);) {
        before = heard
        await Promise.race([all, wait(silentMs, undefined, { ref: false })])
      }
      for (const [stream] of Object.values(streams)) stream.destroy()
      await all
    },
  }
}
