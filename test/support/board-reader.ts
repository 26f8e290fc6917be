import { setTimeout as wait } from 'node:timers/promises'
import type { StreamEvent } from '#contract/event.ts'

/** A reader of the board stream that resumes where it was cut off, as the page does. */
export interface BoardReader {
  events: StreamEvent[]
  /** How often it had to connect again. */
  resumed: number
  /** Resolves once an event that fits has come. */
  until(fits: (event: StreamEvent) => boolean): Promise<StreamEvent>
  stop(): Promise<void>
}

/** Resolves once the stream is open, so that whatever is written afterwards will be seen. */
export async function readBoard(url: string, token: string): Promise<BoardReader> {
  const events: StreamEvent[] = []
  const waiting = new Set<() => void>()
  const stopped = new AbortController()
  const opened = Promise.withResolvers<void>()
  let lastId: string | undefined

  const reader: BoardReader = {
    events,
    resumed: -1,
    async until(fits) {
      for (;;) {
        const found = events.find(fits)
        if (found) return found
        await new Promise<void>((resolve) => waiting.add(resolve))
      }
    },
    async stop() {
      stopped.abort()
      await running
    },
  }

  async function read(): Promise<void> {
    const response = await fetch(`${url}/api/v1/sse/board`, {
      headers: { authorization: `Bearer ${token}`, ...(lastId && { 'last-event-id': lastId }) },
      signal: stopped.signal,
    })
    if (!response.ok || !response.body) throw new Error(`the board stream answered ${response.status}`)
    reader.resumed += 1
    let rest = ''
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) take(block)
      for (const wake of waiting) wake()
      waiting.clear()
    }
  }

  function take(block: string): void {
    const field = (name: string) =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2)
    lastId = field('id') ?? lastId
    if (field('event') === 'ready') return opened.resolve()
    const data = field('data')
    if (data) events.push(JSON.parse(data))
  }

  const running = (async () => {
    while (!stopped.signal.aborted) {
      await read().catch(() => undefined) // cut off: that is what this reader is for
      if (!stopped.signal.aborted) await wait(50)
    }
  })()
  await opened.promise
  return reader
}
