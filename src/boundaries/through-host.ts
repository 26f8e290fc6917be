import { constants } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import type { AppState, HostHealth } from '#contract/host.ts'
import type { CommandPiece } from '#contract/workspace-tool.ts'
import { linesOf } from '#lib/line-iterator.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { askHost, lineLost, streamHost } from './ask-host.ts'
import type { Boundary } from './port.ts'
import { startThroughHost } from './start-through-host.ts'
import type { StartParts } from './start-through-host.ts'

export type ThroughHost = Pick<Boundary, 'start' | 'call' | 'stream' | 'connect' | 'health' | 'app'>

export interface LineParts extends StartParts {
  /** Takes the whole boundary down: what cannot be ended by itself, or speaks no sense, ends with it. Answers whether all is dead. */
  takeDown: (reason: string) => Promise<boolean>
}

const soonMs = 10_000
/** The app is asked to end, and given time. */
const appMs = 30_000
const longestLine = 16 << 20
const kinds: ReadonlySet<string> = new Set(['stdout', 'stderr', 'progress', 'result', 'error'])

/** What a boundary can do, done by the host in it. Nothing that it says is trusted further than to be handed on, bounded. */
export function throughHost(session: ClientHttp2Session, parts: LineParts): ThroughHost {
  return {
    start: (program, mark) => startThroughHost(session, program, mark, parts),
    async call(tool, input, signal) {
      const { data } = (await askHost(session, 'POST', `/tools/${tool}`, { signal, body: { input } })) as {
        data?: unknown
      }
      if (typeof data !== 'object' || data === null) throw lineLost()
      return data
    },
    async *stream(input, signal) {
      try {
        const asked = streamHost(session, 'POST', '/tools/command/stream', { signal })
        asked.end(JSON.stringify({ input }))
        try {
          yield* piecesOf(asked)
        } finally {
          asked.close(constants.NGHTTP2_CANCEL)
        }
      } catch (error) {
        const { code, message } = error instanceof ToolRefused ? error : lineLost()
        yield { type: 'error', error: { code, message } }
      }
    },
    connect: (port) => connectTo(session, port),
    health: async () =>
      (await askHost(session, 'GET', '/health', { signal: AbortSignal.timeout(soonMs) })) as HostHealth,
    app: async (action) =>
      (await askHost(session, 'POST', '/app', {
        signal: AbortSignal.timeout(appMs),
        body: { action },
      })) as AppState,
  }
}

async function connectTo(session: ClientHttp2Session, port: number): Promise<ClientHttp2Stream> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), soonMs)
  const stream = streamHost(session, 'GET', `/ports/${port}`, { signal: late.signal })
  return new Promise((resolve, reject) => {
    // Also the end of one that is cut, or that ends with the line: neither is an error to it.
    stream.once('close', () => {
      clearTimeout(timer)
      reject(new Error(`The workspace does not answer for port ${port}.`))
    })
    stream.once('response', (headers) => {
      clearTimeout(timer)
      if (headers[':status'] === 200) return resolve(stream)
      stream.destroy()
      reject(new Error(`Nothing listens on port ${port} in this workspace.`))
    })
  })
}

/** The last is `result` or `error`; what comes after it is not read. */
async function* piecesOf(stream: ClientHttp2Stream): AsyncGenerator<CommandPiece> {
  for await (const line of linesOf(stream as AsyncIterable<Buffer>, longestLine)) {
    const piece: CommandPiece = JSON.parse(line)
    if (!kinds.has(piece?.type)) throw lineLost()
    yield piece
    if (piece.type === 'result' || piece.type === 'error') return
  }
  throw lineLost()
}
