import { STATUS_CODES } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { portUpgrade } from '#contract/keeper-protocol.ts'
import { joinStreams } from '#lib/join-streams.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import type { Keeper } from './keeper.ts'
import { Refused } from './refused.ts'

/** `GET /ports/:port` with `Upgrade: signalbox-port`: from then on it is a connection to that port. Never rejects. */
export async function upgrade(
  keeper: Keeper,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on('error', () => socket.destroy())
  try {
    const [, port] = /^\/ports\/(\d{1,5})$/.exec(request.url ?? '') ?? []
    if (!port || request.headers.upgrade !== portUpgrade)
      throw new Refused('not_found', 'There is nothing here.')
    const connection = await keeper.connect(Number(port))
    connection.on('error', () => connection.destroy())
    if (socket.destroyed) return void connection.destroy()
    socket.write(
      `HTTP/1.1 101 ${STATUS_CODES[101]}\r\nconnection: upgrade\r\nupgrade: ${portUpgrade}\r\n\r\n`,
    )
    if (head.length > 0) socket.unshift(head)
    joinStreams(socket, connection)
  } catch (error) {
    const status = error instanceof Refused ? error.status : 502
    const code = error instanceof Refused || error instanceof ToolRefused ? error.code : 'port_silent'
    const message = error instanceof Error ? error.message : String(error)
    const body = JSON.stringify({ error: { code, message } })
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )
  }
}
