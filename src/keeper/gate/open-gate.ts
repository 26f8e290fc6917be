import type { Duplex } from 'node:stream'
import type { TakeDial } from '#boundaries/port.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import type { Audit } from './audit-file.ts'
import { openEgress } from './egress.ts'
import { openForwards } from './forwards.ts'

export interface GateParts {
  /** Asked anew for each connection: what may go out can be changed while somebody is inside. */
  workspace: () => EnclosedSpec
  audit: Audit
  log: (line: string) => void
}

export interface GateLimits {
  connections: number
  /** To say what is wanted. */
  headMs: number
  headBytes: number
  idleMs: number
}

const usualLimits: GateLimits = {
  connections: 128,
  headMs: 10_000,
  headBytes: 16_384,
  idleMs: 600_000,
}

/** The way out of a workspace's walls. What comes from inside is trusted in nothing. */
export function openGate(parts: GateParts, limits: GateLimits = usualLimits): TakeDial {
  const take: Record<Parameters<TakeDial>[0], (connection: Duplex) => void> = {
    egress: openEgress(parts, limits),
    forward: openForwards(parts, limits),
  }
  let open = 0
  return (purpose, connection) => {
    connection.on('error', () => connection.destroy())
    if (open >= limits.connections) return refuse(connection, limits.connections)
    open += 1
    connection.once('close', () => (open -= 1))
    take[purpose](connection)
  }
}

function refuse(connection: Duplex, most: number): void {
  const text = `This workspace has ${most} connections to the outside already. Close some, and try again.\n`
  connection.resume()
  setTimeout(() => connection.destroy(), 1_000)
  connection.end(
    `HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: ${text.length}\r\nconnection: close\r\n\r\n${text}`,
  )
}
