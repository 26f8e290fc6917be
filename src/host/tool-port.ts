import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HostHealth } from '#contract/host.ts'
import type { CommandAsked, ToolName } from '#contract/workspace-tool.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { readJsonBody, sendJson, sendRefusal, untilHungUp } from './http-answers.ts'
import { isCalledHere } from './loopback-door.ts'
import { answerMcp } from './mcp-http.ts'
import type { Tools } from './open-tools.ts'
import { openRate } from './rate.ts'
import { unattended } from './unattended-tools.ts'
import type { UnattendedTools } from './unattended-tools.ts'

export interface PortParts {
  /** 0 for a free one. */
  port: number
  tools: Pick<Tools, 'call' | 'stream'>
  health(): HostHealth
  /** One line for each request. */
  log: (line: string) => void
  perMinute?: number
  longestBody?: number
}

export interface OpenPort {
  port: number
  close(): Promise<void>
}

const usualPerMinute = 1_000
const usualLongestBody = 50 * 1024 * 1024
const names: ReadonlySet<string> = new Set<ToolName>([
  'search',
  'read',
  'command',
  'edit',
  'write',
  'list',
  'output',
])

/**
 * The tools over plain HTTP for whoever is inside: `POST /read {"path": …}`, and so on; `GET /health`; MCP at /mcp. On loopback, which
 * inside walls is the walls' own. Rejects when the port is taken.
 */
export async function openToolPort(parts: PortParts): Promise<OpenPort> {
  const tools = unattended(parts.tools)
  const rate = openRate(parts.perMinute ?? usualPerMinute)
  const server = createServer((request, response) => {
    const begun = performance.now()
    response.once('close', () => {
      const took = Math.round(performance.now() - begun)
      parts.log(`${request.method} ${pathOf(request)} ${response.statusCode} ${took} ms`)
    })
    route({ ...parts, tools, rate }, request, response).catch((error: unknown) =>
      sendRefusal(response, error),
    )
  })
  return listen(server, parts.port)
}

interface Served extends Omit<PortParts, 'tools'> {
  tools: UnattendedTools
  rate: ReturnType<typeof openRate>
}

async function route(parts: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isCalledHere(request))
    throw new ToolRefused('host_not_allowed', 'This is for programs in the workspace, by the name localhost')
  const retryAfterSec = parts.rate.take()
  if (retryAfterSec > 0)
    throw new ToolRefused('too_many_calls', `Too many requests. Wait ${retryAfterSec} s`, { retryAfterSec })
  const path = pathOf(request)
  if (request.method === 'GET' && path === '/health') return sendJson(response, 200, parts.health())
  const longestBody = parts.longestBody ?? usualLongestBody
  if (path === '/mcp') return answerMcp(parts.tools, request, response, longestBody)
  const tool = path.slice(1)
  if (request.method !== 'POST' || !names.has(tool))
    throw new ToolRefused('not_found', `There is nothing at ${request.method} ${path}`)
  const input = await readJsonBody(request, longestBody)
  const signal = untilHungUp(response)
  if (tool === 'command' && isStreamed(input)) return streamCommand(parts.tools, input, response, signal)
  sendJson(response, 200, await parts.tools.call(tool as ToolName, input, signal))
}

const isStreamed = (input: unknown): input is CommandAsked =>
  typeof input === 'object' && input !== null && 'stream' in input && input.stream === true

/** A piece on each line; the last is `result` or `error`. */
async function streamCommand(
  tools: UnattendedTools,
  input: CommandAsked,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
  for await (const piece of tools.stream(input, signal))
    if (!response.write(`${JSON.stringify(piece)}\n`)) await once(response, 'drain', { signal })
  response.end()
}

const pathOf = ({ url = '/' }: IncomingMessage) => url.split('?', 1)[0] ?? '/'

/** Rejects when the port is taken. */
export async function listen(server: ReturnType<typeof createServer>, port: number): Promise<OpenPort> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
