import type { Context } from 'hono'
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Env } from './room.ts'

/** The connection that a request came by; none when the app is called without a server. */
export function socketOf(c: Context<Env>): Socket | undefined {
  const bindings: unknown = c.env
  if (typeof bindings !== 'object' || bindings === null || !('incoming' in bindings)) return undefined
  return bindings.incoming instanceof IncomingMessage ? bindings.incoming.socket : undefined
}
