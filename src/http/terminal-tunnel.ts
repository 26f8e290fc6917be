import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Config } from '#config/config.ts'
import type { LiveTerminals } from '#db/live-terminals.ts'
import { lastWords } from '#lib/last-words.ts'
import type { CodeSockets } from './execute-socket.ts'

interface Needs {
  terminals: Pick<LiveTerminals, 'current'>
  settings: { current(): Pick<Config, 'host'> }
  /** Of this home. */
  machineId: string
}

const away =
  'HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nNo terminal serves on this machine.\n'

/**
 * Sockets to `/terminal` of web are passed on to the terminal of this machine, byte for byte: where a proxy stands in front, one address
 * is enough for both. Who may come in is the terminal's to say.
 */
export function openTerminalTunnel({
  terminals,
  settings,
  machineId,
}: Needs): Pick<CodeSockets, 'takes' | 'upgrade'> {
  return {
    takes: ({ url = '' }) => url.startsWith('/terminal?'),
    upgrade(request, socket, head) {
      const port = terminals.current().find((place) => place.machineId === machineId)?.port
      if (port === undefined) return lastWords(socket, away)
      const { host } = settings.current()
      const there = connect({ port, host: { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host })
      const end = () => {
        socket.destroy()
        there.destroy()
      }
      for (const side of [socket, there]) side.on('error', end).on('close', end)
      there.once('connect', () => {
        there.write(headOf(request))
        if (head.length > 0) there.write(head)
        passOn(socket, there)
        passOn(there, socket)
      })
    },
  }
}

const passOn = (from: Duplex, to: Duplex): void => void from.pipe(to)

function headOf({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
