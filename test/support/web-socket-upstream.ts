import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

export interface WebSocketUpstream {
  url: string
  /** Of each connection: what it came with. */
  came: IncomingMessage[]
  sockets: Socket[]
}

/** Speaks just enough of the WebSocket protocol: text in one frame each. Closed when the test is over. */
export async function webSocketUpstream(
  answer: (message: Record<string, unknown>, say: (text: string) => void) => void,
): Promise<WebSocketUpstream> {
  const [came, sockets]: [IncomingMessage[], Socket[]] = [[], []]
  const server = createServer()
  server.on('upgrade', (request, socket: Socket) => {
    came.push(request)
    sockets.push(socket)
    const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}${magic}`).digest('base64')
    socket.write(
      [
        'HTTP/1.1 101 Switching Protocols',
        'upgrade: websocket',
        'connection: upgrade',
        'sec-websocket-protocol: mcp',
        `sec-websocket-accept: ${key}`,
        '',
        '',
      ].join('\r\n'),
    )
    socket.on('error', () => {})
    let rest = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes])
      for (let frame = readFrame(rest); frame; frame = readFrame(rest)) {
        rest = rest.subarray(frame.length)
        if (frame.isText)
          answer(JSON.parse(frame.text) as Record<string, unknown>, (text) => socket.write(frameOf(text)))
        else socket.end()
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  })
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, came, sockets }
}

/** Those of clients are masked, and here never longer than 64 KB. */
function readFrame(bytes: Buffer): { isText: boolean; text: string; length: number } | undefined {
  if (bytes.length < 2) return undefined
  const short = bytes.readUInt8(1) & 0x7f
  const start = short === 126 ? 4 : 2
  if (bytes.length < start + 4) return undefined
  const size = short === 126 ? bytes.readUInt16BE(2) : short
  const length = start + 4 + size
  if (bytes.length < length) return undefined
  const mask = bytes.subarray(start, start + 4)
  const text = Buffer.from(bytes.subarray(start + 4, length).map((byte, at) => byte ^ (mask[at % 4] ?? 0)))
  return { isText: (bytes.readUInt8(0) & 0x0f) === 1, text: text.toString('utf8'), length }
}

function frameOf(text: string): Buffer {
  const body = Buffer.from(text)
  const head = Buffer.alloc(body.length < 126 ? 2 : 10)
  head.writeUInt8(0x81, 0)
  head.writeUInt8(body.length < 126 ? body.length : 127, 1)
  if (body.length >= 126) head.writeBigUInt64BE(BigInt(body.length), 2)
  return Buffer.concat([head, body])
}
