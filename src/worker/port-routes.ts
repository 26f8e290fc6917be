import { STATUS_CODES } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { z } from 'zod'
import { portUpgrade } from '#contract/keeper-protocol.ts'
import { Id } from '#contract/text.ts'
import type { Database } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import { joinStreams } from '#lib/join-streams.ts'
import { openTokenCheck } from './internal-token.ts'
import type { PortTunnels } from './port-tunnels.ts'

interface Needs {
  db: Database
  machineId: string
  log: Logger
  /** Undefined until the worker is up. */
  tunnels: () => PortTunnels | undefined
}

const Asked = z.object({ port: z.coerce.number().int().min(1).max(65_535), workspaceId: Id })

/**
 * `GET /ports/:port?workspaceId=…` of the internal API, with `Upgrade: signalbox-port`: from then on it is a connection to that port of
 * the workspace. What it is refused with is JSON, as everywhere in that API.
 */
export function portUpgrades({ db, machineId, log, tunnels }: Needs) {
  const checkToken = openTokenCheck(db, machineId)

  async function connect(request: IncomingMessage): Promise<Duplex> {
    await checkToken(request.headers.authorization)
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://worker')
    const [, port] = /^\/ports\/(\d{1,5})$/.exec(pathname) ?? []
    const asked = Asked.safeParse({ port, workspaceId: searchParams.get('workspaceId') })
    if (!asked.success || request.headers.upgrade !== portUpgrade)
      throw new Problem('not_found', 'There is nothing here')
    const ready = tunnels()
    if (!ready) throw new Problem('machine_unavailable', 'The worker is only just starting: try again')
    return ready.connect(asked.data.workspaceId, asked.data.port)
  }

  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy())
    connect(request).then(
      (connection) => {
        if (socket.destroyed) return connection.destroy()
        socket.write(
          `HTTP/1.1 101 ${STATUS_CODES[101]}\r\nconnection: upgrade\r\nupgrade: ${portUpgrade}\r\n\r\n`,
        )
        if (head.length > 0) socket.unshift(head)
        return joinStreams(socket, connection)
      },
      (error: unknown) => {
        const known = error instanceof Problem ? error : undefined
        if (!known) log.error({ err: error }, 'a port of a workspace could not be reached')
        const { code, message, context } = known ?? {
          code: 'internal',
          message: 'Something went wrong on the machine',
          context: undefined,
        }
        const status = code === 'unauthenticated' ? 401 : known ? 400 : 500
        const body = JSON.stringify({ error: { code, message, context } })
        socket.end(
          `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\n` +
            `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
        )
      },
    )
  }
}
