import { Agent } from 'node:http'
import type { ClientRequestArgs } from 'node:http'
import type { Duplex } from 'node:stream'
import { portUpgrade } from '#contract/keeper-protocol.ts'
import type { Machine } from '#db/machines.ts'
import type { Database } from '#db/pool.ts'
import { openUpgraded } from '#lib/open-upgraded.ts'
import { internalToken } from './internal-token.ts'
import { refusedBy, silent } from './owning-worker.ts'

/** Where a tunnel ends: a port in a workspace. */
export interface TunnelEnd {
  machine: Machine
  workspaceId: string
  port: number
}

const patienceMs = 60_000

/** A connection to a port in a workspace, by way of its worker. Throws Problems: app_not_up with what is known of the app. */
export async function openTunnel(db: Database, { machine, workspaceId, port }: TunnelEnd): Promise<Duplex> {
  const headers = { authorization: `Bearer ${await internalToken(db, machine.id)}` }
  const path = `/ports/${port}?workspaceId=${workspaceId}`
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), patienceMs)
  const options = { ...placeOf(machine.url), path, headers, signal: late.signal }
  const opened = await openUpgraded(options, portUpgrade)
    .catch((error: unknown) => {
      throw silent(machine, error)
    })
    .finally(() => clearTimeout(timer))
  if ('stream' in opened) return opened.stream
  throw await refusedBy(machine, opened.refused)
}

function placeOf(url: string) {
  if (url.startsWith('unix:')) return { socketPath: url.slice('unix:'.length) }
  const { protocol, hostname, port } = new URL(url)
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port, isSecure: protocol === 'https:' }
}

type Tunnelled = ClientRequestArgs & { end?: TunnelEnd }

/** Tunnels for requests to apps. Those that are kept are used again for the same port of the same workspace. */
export class TunnelAgent extends Agent {
  readonly #db: Database

  constructor(db: Database, options: { keepAlive: boolean }) {
    // Given up before the usual server does so by itself, after 5 s.
    super({ ...options, maxFreeSockets: 8, timeout: 4_000 })
    this.#db = db
  }

  override getName({ end }: Tunnelled = {}): string {
    return end ? `${end.machine.id}:${end.workspaceId}:${end.port}` : ''
  }

  override createConnection({ end }: Tunnelled, opened?: (error: Error | null, stream: Duplex) => void) {
    if (!end || !opened) throw new Error('A tunnel has to end somewhere')
    openTunnel(this.#db, end).then(
      (stream) => opened(null, stream),
      (error: unknown) => opened(error as Error, undefined as never),
    )
    return undefined
  }
}
