import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { HOST_PROTOCOL } from '#contract/host.ts'
import type { Hello } from '#contract/host.ts'

export type Dial = (purpose: Hello['purpose']) => Promise<Socket>

/** Connects to the keeper, and says what for. Rejects when it does not listen. */
export const dialTo =
  (path: string): Dial =>
  async (purpose) => {
    const connection = connect({ path, allowHalfOpen: true })
    await once(connection, 'connect')
    const hello: Hello = { protocol: HOST_PROTOCOL, purpose, pid: process.pid, node: process.version }
    connection.write(`${JSON.stringify(hello)}\n`)
    return connection
  }
