import { constants, createServer } from 'node:http2'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Duplex } from 'node:stream'
import type { AppState, HostHealth } from '#contract/host.ts'
import type { ToolName } from '#contract/workspace-tool.ts'
import { NotStarted } from '#lib/program.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import type { Tools } from './open-tools.ts'
import type { Programs } from './programs.ts'
import { joinPort } from './serve-port.ts'
import { serveProgram } from './serve-program.ts'

/** All that the host does for its keeper. */
export interface Hands {
  programs: Programs
  tools: Pick<Tools, 'call' | 'stream'>
  /** A connection to a port in here. */
  connect(port: number): Promise<Duplex>
  health(): HostHealth
  app(action: 'start' | 'stop' | 'restart'): Promise<AppState>
}

const longestBody = 64 << 20
const streamWindow = 1 << 20
const sessionWindow = 16 << 20

/** Answers the keeper on the connection that we made to it. Resolves when that is lost. */
export function serveKeeper(connection: Duplex, hands: Hands): Promise<void> {
  const server = createServer({ maxSessionMemory: 256, settings: { initialWindowSize: streamWindow } })
  server.on('session', (session) => session.setLocalWindowSize(sessionWindow))
  server.on('sessionError', () => connection.destroy())
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined) // whoever asked has gone
    route(hands, stream, headers).catch((error: unknown) => refuse(stream, error))
  })
  connection.allowHalfOpen = false
  const lost = new Promise<void>((resolve) => connection.once('close', () => resolve()))
  server.emit('connection', connection)
  return lost
}

async function route(hands: Hands, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
  const path = String(headers[constants.HTTP2_HEADER_PATH])
  const [, first = '', second = '', third = ''] = path.split('/')
  switch (`${String(headers[constants.HTTP2_HEADER_METHOD])} /${first}`) {
    case 'POST /tools':
      if (third === 'stream') return streamCommand(hands, stream)
      return callTool(hands, stream, second)
    case 'POST /programs':
      if (second !== 'end') return serveProgram(hands.programs, stream)
      return answer(stream, await endProgram(hands, await readJson(stream)))
    case 'GET /ports':
      return joinPort(stream, () => hands.connect(Number(second)))
    case 'GET /health':
      return answer(stream, hands.health())
    case 'POST /app':
      return answer(
        stream,
        await hands.app((await readJson<{ action: 'start' | 'stop' | 'restart' }>(stream)).action),
      )
    default:
      throw new ToolRefused('tool_input', `There is nothing at ${path}`)
  }
}

async function callTool({ tools }: Hands, stream: ServerHttp2Stream, name: string): Promise<void> {
  const { input } = await readJson<{ input: unknown }>(stream)
  answer(stream, { data: await tools.call(name as ToolName, input, untilHungUp(stream)) })
}

async function streamCommand({ tools }: Hands, stream: ServerHttp2Stream): Promise<void> {
  const { input } = await readJson<{ input: Parameters<Tools['stream']>[0] }>(stream)
  stream.respond({ [constants.HTTP2_HEADER_STATUS]: 200 })
  for await (const piece of tools.stream(input, untilHungUp(stream)))
    if (!stream.write(`${JSON.stringify(piece)}\n`)) await drained(stream)
  stream.end()
}

const endProgram = async ({ programs }: Hands, asked: { mark: string; graceMs: number }) => ({
  isDead: await programs.end(asked.mark, asked.graceMs),
})

function untilHungUp(stream: ServerHttp2Stream): AbortSignal {
  const controller = new AbortController()
  stream.once('close', () => controller.abort())
  return controller.signal
}

const drained = (stream: ServerHttp2Stream) =>
  new Promise<void>((resolve) => {
    if (stream.destroyed) return resolve()
    stream.once('drain', resolve).once('close', resolve)
  })

async function readJson<Shape>(stream: ServerHttp2Stream): Promise<Shape> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of stream as AsyncIterable<Buffer>) {
    size += part.length
    if (size > longestBody) throw new ToolRefused('tool_input', 'That is more than 64 MB')
    parts.push(part)
  }
  return JSON.parse(Buffer.concat(parts).toString())
}

function answer(stream: ServerHttp2Stream, body: object, status = 200): void {
  if (stream.destroyed) return
  stream.respond({ [constants.HTTP2_HEADER_STATUS]: status })
  stream.end(JSON.stringify(body))
}

function refuse(stream: ServerHttp2Stream, error: unknown): void {
  if (stream.headersSent) return stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof ToolRefused)
    return answer(stream, { error: { code: error.code, message, context: error.context } }, 422)
  answer(stream, { error: { code: 'failed', message } }, error instanceof NotStarted ? 409 : 500)
}
