import type { Writable } from 'node:stream'
import type pg from 'pg'

/** What is asked over this connection in one go leaves in one go: to write is what costs most of a small question. */
export function sendTogether(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: Writable } }
  const ask = client.query.bind(client) as (...given: unknown[]) => unknown
  let isHeld = false
  const askTogether = (...given: unknown[]): unknown => {
    if (!isHeld) {
      isHeld = true
      const { stream } = connection
      stream.cork()
      process.nextTick(() => {
        isHeld = false
        stream.uncork()
      })
    }
    return ask(...given)
  }
  Object.assign(client, { query: askTogether })
}
