import type { LogEvents } from '#contract/execution.ts'

export interface LogMessage {
  name: keyof LogEvents
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into events of every shape
  data: any
  /** The id of this event, or of the last one that had one. */
  id: number | undefined
}

export interface ReadLog {
  events: LogMessage[]
  text: string
}

/** Reads a log over HTTP, once, until it ends. */
export async function readLog(url: string, headers: Record<string, string> = {}): Promise<ReadLog> {
  const answer = await fetch(url, { headers })
  if (answer.status !== 200 || !answer.body) throw new Error(`${answer.status}: ${await answer.text()}`)
  return readLogBytes(answer.body)
}

/** Reads until the bytes end, or `enough` says so. */
export async function readLogBytes(
  bytes: ReadableStream<Uint8Array>,
  enough: (events: LogMessage[]) => boolean = () => false,
): Promise<ReadLog> {
  const events: LogMessage[] = []
  let rest = ''
  let id: number | undefined
  for await (const text of bytes.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      if (block.startsWith(':')) continue
      const [, given] = /^id: (\d+)$/m.exec(block) ?? []
      if (given) id = Number(given)
      events.push({
        name: /^event: (.*)$/m.exec(block)?.[1] as LogMessage['name'],
        data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null'),
        id,
      })
    }
    if (enough(events)) break
  }
  return { events, text: textOf(events) }
}

export const textOf = (events: readonly LogMessage[]): string =>
  events.map(({ name, data }) => (name === 'catchup' || name === 'log' ? data.content : '')).join('')
