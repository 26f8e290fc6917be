import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Config } from '#config/config.ts'
import type { LiveTerminals } from '#db/live-terminals.ts'
import { terminalHost } from '#lib/terminal-host.ts'
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
      const place = terminals.current().find((one) => one.machineId === machineId)
      if (!place) return lastWords(socket, away)
      const { port } = place
      const host = terminalHost(settings.current().host, place.url)
      const there = connect({ port, host: { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host })
      let isThrough = false
      // What it said last is on its way still.
      there.on('close', () => lastWords(socket, isThrough ? undefined : away))
      there.on('error', () => undefined) // told by its end
      socket.on('error', () => socket.destroy()).on('close', () => there.destroy())
      there.once('connect', () => {
        isThrough = true
        there.write(headOf(request))
        if (head.length > 0) there.write(head)
        socket.pipe(there)
        there.pipe(socket)
      })
    },
  }
}

function headOf({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
