import type { Transport } from '@modelcontextprotocol/client'
import { CallFailed } from '../port.ts'
import { longestMessage, openAllowance } from './limits.ts'
import { messageIn, tooLongMessage } from './message-lines.ts'

export interface WebSocketTransport extends Transport {
  /** Why it is gone, if it is. */
  gone: () => string | undefined
}

interface Place {
  url: string
  headers: () => Promise<Record<string, string>>
}

/** MCP over a WebSocket: the subprotocol `mcp`, one message in a frame of text. */
export function webSocketTransport(place: Place, onNoise: (told: string) => void): WebSocketTransport {
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
    const isFlood = allowance.spend(length) > 0
    if (length > longestMessage || isFlood) {
      const told = isFlood ? 'It sent more in a second than anybody can read' : tooLongMessage
      transport.onerror?.(new CallFailed('answer_too_large', told))
      end(told)
      return socket?.close()
    }
    const message = typeof data === 'string' ? messageIn(data) : undefined
    if (message) transport.onmessage?.(message)
    else onNoise('It sent a frame that is no message')
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
