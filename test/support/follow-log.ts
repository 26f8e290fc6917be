import { setTimeout as wait } from 'node:timers/promises'

/** A reader of one execution's log that resumes where it was cut off, as `signalbox logs -f` does. */
export interface LogReader {
  /** Resolves once the server has said how it ended. */
  readonly done: Promise<{ status: string; exitCode: number | null; error: string | null }>
  /** Everything that was read so far. */
  text(): string
  stop(): void
}

export function followLog(url: string, token: string, id: string): LogReader {
  const stopped = new AbortController()
  let text = ''
  let lastId: string | undefined
  let end: Awaited<LogReader['done']> | undefined

  async function read(): Promise<void> {
    const response = await fetch(`${url}/api/v1/executions/${id}/logs/stream`, {
      headers: { authorization: `Bearer ${token}`, ...(lastId && { 'last-event-id': lastId }) },
      signal: stopped.signal,
    })
    if (!response.ok || !response.body) throw new Error(`the log stream answered ${response.status}`)
    let rest = ''
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + piece).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) take(block)
    }
  }

  function take(block: string): void {
    const fields = new Map(
      block.split('\n').map((line): [string, string] => {
        const at = line.indexOf(': ')
        return [line.slice(0, at), line.slice(at + 2)]
      }),
    )
    lastId = fields.get('id') ?? lastId
    const data = JSON.parse(fields.get('data') ?? 'null')
    const event = fields.get('event')
    if (event === 'catchup' || event === 'log') text += data.content
    if (event === 'done') end = data
  }

  async function follow() {
    while (!end) {
      await read().catch(() => undefined) // cut off: that is what this reader is for
      stopped.signal.throwIfAborted()
      if (!end) await wait(50)
    }
    return end
  }

  const done = follow()
  done.catch(() => undefined)
  return { done, text: () => text, stop: () => stopped.abort() }
}
