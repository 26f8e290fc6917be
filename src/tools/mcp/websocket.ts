import type { Transport } from '@modelcontextprotocol/client'
import { CallFailed } from '../port.ts'
import type { Ears } from './awaited.ts'
import { longestMessage, openAllowance, tooLongUnread } from './limits.ts'
import { idOfAnswer } from './long-line.ts'
import { idOfNoAnswer, messageIn } from './message-lines.ts'

export interface WebSocketTransport extends Transport {
  /** Why it is gone, if it is. */
  gone: () => string | undefined
}

interface Place {
  url: string
  headers: () => Promise<Record<string, string>>
}

/** MCP over a WebSocket: the subprotocol `mcp`, one message in a frame of text. */
export function webSocketTransport(place: Place, ears: Ears): WebSocketTransport {
  const allowance = openAllowance()
  let socket: WebSocket | undefined
  let ending: string | undefined
  const end = (why: string) => {
    if (ending !== undefined) return
    ending = why
    transport.onclose?.()
  }

  const transport: WebSocketTransport = {
    gone: () => ending,
    async start() {
      socket = new WebSocket(place.url, { protocols: 'mcp', headers: await place.headers() })
      const opened = opening(socket)
      socket.addEventListener('message', ({ data }) => hear(data))
      socket.addEventListener('close', ({ code, reason }) =>
        end(`the other side closed the connection (${code}${reason ? `, ${reason}` : ''})`),
      )
      await opened
    },
    async send(message) {
      if (socket?.readyState !== WebSocket.OPEN)
        throw new CallFailed('source_failed', 'The connection is closed', { isUnsent: true })
      if (socket.bufferedAmount > longestMessage)
        throw new CallFailed('source_failed', 'It does not read what it is told', { isUnsent: true })
      socket.send(JSON.stringify(message))
    },
    async close() {
      socket?.close()
      end('it was closed')
    },
  }

  function hear(data: unknown): void {
    if (ending !== undefined) return
    const length = typeof data === 'string' ? data.length : 0
    // A socket cannot be asked to wait, so one that shouts is left.
    if (allowance.spend(length) > 0) {
      const told = 'It sent more in a second than anybody can read'
      transport.onerror?.(new CallFailed('answer_too_large', told))
      end(told)
      return socket?.close()
    }
    if (typeof data === 'string' && length > longestMessage) {
      const id = idOfAnswer(data.slice(0, 512), data.slice(-512))
      return void (ears.isTooLong(id) || ears.onNoise(tooLongUnread))
    }
    const message = typeof data === 'string' ? messageIn(data) : undefined
    if (message) return transport.onmessage?.(message)
    const id = typeof data === 'string' ? idOfNoAnswer(data) : undefined
    if (id !== undefined) ears.isNone(id)
    ears.onNoise('It sent a frame that is no message')
  }
  return transport
}

function opening(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = () =>
      reject(
        new CallFailed(
          'source_unavailable',
          'No WebSocket was opened: nobody answers there, or what answers refused it',
          { isUnsent: true },
        ),
      )
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', refused)
    socket.addEventListener('close', refused)
  })
}
