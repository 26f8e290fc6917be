import { unfinishedTail } from '#lib/utf8.ts'

/** Base64 of this, and no more, is in one record. */
const longestBytes = 64 * 1024
const gatherMs = 5

type Stream = 'stdout' | 'stderr'

/** Gathers what a chatty program writes, so that there is not one record for every byte. */
export interface Gatherer {
  add(stream: Stream, bytes: Buffer): void
  /** Passes on what waits, but for the beginning of a character. */
  flush(): void
  /** Passes on all of it. */
  end(): void
}

/** Never cuts inside a valid UTF-8 character; bytes that are none pass as they are. */
export function gatherOutput(pass: (stream: Stream, bytes: Buffer) => void): Gatherer {
  const waiting: Record<Stream, Buffer[]> = { stdout: [], stderr: [] }
  const sizes: Record<Stream, number> = { stdout: 0, stderr: 0 }
  let last: Stream = 'stdout'
  let timer: NodeJS.Timeout | undefined
  let lastPassed = 0

  function passOn(stream: Stream, isEnd = false): void {
    const [only = Buffer.alloc(0), ...others] = waiting[stream]
    let rest = others.length === 0 ? only : Buffer.concat([only, ...others])
    while (rest.length > 0) {
      const piece = rest.subarray(0, longestBytes)
      const isLast = piece.length === rest.length
      const held = isEnd && isLast ? 0 : unfinishedTail(piece)
      if (piece.length > held) pass(stream, piece.subarray(0, piece.length - held))
      rest = rest.subarray(piece.length - held)
      if (isLast) break
    }
    waiting[stream] = rest.length > 0 ? [rest] : []
    sizes[stream] = rest.length
    lastPassed = performance.now()
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    passOn(last)
  }

  return {
    add(stream, bytes) {
      if (stream !== last) flush()
      last = stream
      waiting[stream].push(bytes)
      sizes[stream] += bytes.length
      const isFirstInAWhile = performance.now() - lastPassed > gatherMs && timer === undefined
      if (isFirstInAWhile || sizes[stream] >= longestBytes) flush()
      else timer ??= setTimeout(flush, gatherMs)
    },
    flush,
    end() {
      flush()
      passOn('stdout', true)
      passOn('stderr', true)
    },
  }
}
