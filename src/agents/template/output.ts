import type { Readable } from 'node:stream'
import type { Output } from '../port.ts'

/** So much is read ahead of who takes the events; then the program waits in its own write. */
const readAhead = 256 * 1024
/** How long the output of a dead program may stay silent before whoever else holds it open is left alone. */
const patienceMs = 1_000

interface Reading {
  events: AsyncIterable<Output>
  hangUp: () => void
}

/** What a program writes to stdout and stderr, in the order in which it arrives. */
export function readOutput(streams: { stdout: Readable; stderr: Readable }): Reading {
  const both = [streams.stdout, streams.stderr]
  const waiting: Output[] = []
  let size = 0
  let taken = 0
  let open = both.length
  let wake: () => void = () => undefined
  let patience: NodeJS.Timeout | undefined

  for (const stream of ['stdout', 'stderr'] as const) {
    streams[stream].on('data', (bytes: Buffer) => {
      waiting.push({ type: 'data-terminal', stream, bytes })
      size += bytes.length
      if (size >= readAhead) for (const each of both) each.pause()
      wake()
    })
    // A stream that fails also closes, and what it had is told.
    streams[stream].on('error', () => undefined)
    streams[stream].once('close', () => {
      open -= 1
      if (open === 0) clearTimeout(patience)
      wake()
    })
  }

  async function* events(): AsyncGenerator<Output> {
    for (;;) {
      const next = waiting.shift()
      if (next) {
        size -= next.bytes.length
        taken += 1
        if (size < readAhead) for (const stream of both) stream.resume()
        yield next
      } else if (open === 0) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }

  /** Time in which nobody takes the events, as with a full disk, does not count. */
  function hangUp(): void {
    if (open === 0) return
    const before = taken
    patience = setTimeout(() => {
      if (waiting.length > 0 && taken === before) hangUp()
      else for (const stream of both) stream.destroy()
    }, patienceMs)
  }

  return { events: events(), hangUp }
}
