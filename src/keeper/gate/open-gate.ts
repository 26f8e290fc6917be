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
  /** New ones in a second, after so many at once; the others wait for their turn. */
  perSecond: number
}

const usualLimits: GateLimits = {
  connections: 128,
  headMs: 10_000,
  headBytes: 16_384,
  idleMs: 600_000,
  perSecond: 100,
}
/** Whoever is inside could fill our log. */
const mostTold = 20

/** The way out of a workspace's walls. What comes from inside is trusted in nothing. */
export function openGate(parts: GateParts, limits: GateLimits = usualLimits): TakeDial {
  let told = 0
  const log = (line: string) => {
    told += 1
    if (told <= mostTold) parts.log(line)
  }
  const take: Record<Parameters<TakeDial>[0], (connection: Duplex) => void> = {
    egress: openEgress({ ...parts, log }, limits),
    forward: openForwards({ ...parts, log }, limits),
  }
  const untilTurn = takeTurns(limits.perSecond)
  let open = 0
  return (purpose, connection) => {
    connection.on('error', () => connection.destroy())
    if (open >= limits.connections) return refuse(connection, limits.connections)
    open += 1
    connection.once('close', () => (open -= 1))
    const waitMs = untilTurn()
    if (waitMs === 0) return take[purpose](connection)
    const turn = setTimeout(() => take[purpose](connection), waitMs)
    connection.once('close', () => clearTimeout(turn))
  }
}

/** How long the next one has to wait: not at all for so many at once, and then so many in a second. */
function takeTurns(perSecond: number): () => number {
  const apartMs = 1_000 / perSecond
  let next = 0
  return () => {
    const now = performance.now()
    next = Math.max(next, now - 1_000) + apartMs
    return Math.max(0, Math.ceil(next - now))
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
