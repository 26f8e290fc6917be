import { appendFileSync } from 'node:fs'

export interface Message {
  id?: number | string
  method?: string
  params?: Record<string, unknown>
  result?: unknown
  error?: unknown
}

export interface ScriptedWire {
  take(line: string, handle: (message: Message) => void): void
  send(message: Message): void
  /** Not even JSON, if it is told so. */
  write(text: string): boolean
  /** Resolves with the answer, or its error. */
  ask(method: string, params: object): Promise<Message>
  update(sessionId: string, update: object): boolean
}

export function openScriptedWire(record: string | undefined): ScriptedWire {
  const waiting = new Map<number | string, (answer: Message) => void>()
  // Begins at 0 and overlaps with the ids of the other side, as those of most agents do.
  let nextId = 0
  const write = (text: string) => process.stdout.write(text)
  const send = (message: object) => void write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  return {
    take(line, handle) {
      if (record) appendFileSync(record, `${line}\n`)
      const message = JSON.parse(line) as Message
      if (message.method !== undefined) return handle(message)
      waiting.get(message.id ?? '')?.(message)
    },
    send,
    write,
    ask(method, params) {
      const id = nextId
      nextId += 1
      send({ id, method, params })
      return new Promise((resolve) => waiting.set(id, resolve))
    },
    update: (sessionId, update) =>
      write(
        `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } })}\n`,
      ),
  }
}
