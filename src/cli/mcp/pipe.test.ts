import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { afterEach, expect, it, vi } from 'vitest'
import { openEndpointHere, owner } from '../../../test/support/mcp-endpoint.ts'
import type { EndpointHere } from '../../../test/support/mcp-endpoint.ts'
import type { NativeTool } from '#tools/port.ts'
import { pipeMcp } from './pipe.ts'
import type { Pipe } from './pipe.ts'

const done: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const undo of done.splice(0).toReversed()) await undo()
})

interface Line {
  id?: number | null
  method?: string
  result?: { tools?: { name: string }[] }
  error?: { code: number; message: string }
}

const tool = (name: string, run: NativeTool['run']): NativeTool => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  run,
})
const read = tool('read', async () => ({ content: [{ type: 'text', text: 'done' }] }))

/** The endpoint behind an address, as web has it. */
async function serve(here: EndpointHere, port = 0): Promise<Server> {
  const listener = getRequestListener((request) => here.ask(request, owner))
  const server = createServer((request, response) => void listener(request, response))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}
const portOf = (server: Server) => (server.address() as AddressInfo).port
const shut = async (server: Server) => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

function pipe(port: number, more: Partial<Pipe> = {}) {
  const input = new PassThrough()
  const lines: Line[] = []
  const going = new AbortController()
  const ended = pipeMcp({
    connection: { url: `http://127.0.0.1:${port}`, token: 'token', tokenSource: 'test' },
    input,
    output: (line) => void lines.push(JSON.parse(line) as Line),
    log: () => undefined,
    signal: going.signal,
    ...more,
  })
  done.push(async () => {
    input.end()
    going.abort()
    await ended.catch(() => undefined)
  })
  const say = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  return {
    input,
    ended,
    lines,
    say,
    async ask(id: number, method: string, params: object = {}) {
      say({ id, method, params })
      return vi.waitUntil(() => lines.find((line) => line.id === id), { timeout: 20_000 })
    },
  }
}

const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1.0.0' },
}

function endpoint(...tools: NativeTool[]): EndpointHere {
  const here = openEndpointHere({ files: tools })
  done.push(() => here.close())
  return here
}

it.each(['2025-11-25', '2026-07-28'])('lists what it was started for, to a client of %s', async (era) => {
  const here = openEndpointHere({ files: [read], code: [{ ...read, name: 'run_code' }] })
  done.push(() => here.close())
  const server = await serve(here)
  done.push(() => shut(server))
  const client = pipe(portOf(server), { tools: 'code' })
  const isModern = era === '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': era,
    'io.modelcontextprotocol/clientInfo': hello.clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  if (!isModern) await client.ask(1, 'initialize', hello)
  const { result } = await client.ask(2, 'tools/list', isModern ? { _meta: meta } : {})
  expect(result?.tools?.map(({ name }) => name)).toEqual(['search_tools', 'describe_tool', 'run_code'])
})

it('begins anew when Signalbox was started again, and the client need not know', async () => {
  const first = await serve(endpoint(read))
  const port = portOf(first)
  const client = pipe(port)
  await client.ask(1, 'initialize', hello)
  client.say({ method: 'notifications/initialized' })
  expect((await client.ask(2, 'tools/list')).result?.tools).toBeDefined()
  await shut(first)
  // Asked while nobody is there: it waits until somebody is.
  const asking = client.ask(3, 'tools/list')
  const second = await serve(endpoint(read), port)
  done.push(() => shut(second))
  expect((await asking).result?.tools?.map(({ name }) => name)).toContain('files__read')
  expect(client.lines.filter(({ id }) => id === 1)).toHaveLength(1)
})

it('says of what was in flight that nobody knows whether it was done', async () => {
  let isBegun = false
  const here = endpoint(
    tool('endless', async (_caller, _args, { signal }) => {
      isBegun = true
      await once(signal, 'abort')
      return { content: [] }
    }),
  )
  const server = await serve(here)
  const client = pipe(portOf(server))
  await client.ask(1, 'initialize', hello)
  const asking = client.ask(2, 'tools/call', { name: 'files__endless', arguments: {} })
  await vi.waitUntil(() => isBegun, { timeout: 20_000 })
  await shut(server)
  expect((await asking).error?.message).toContain('not known whether it was done')
})

it('takes a line that is no message for what it is, and goes on', async () => {
  const server = await serve(endpoint(read))
  done.push(() => shut(server))
  const client = pipe(portOf(server))
  client.input.write('nonsense\n')
  await vi.waitUntil(() => client.lines.length === 1, { timeout: 20_000 })
  expect(client.lines[0]).toMatchObject({ id: null, error: { code: -32_700 } })
  expect((await client.ask(1, 'initialize', hello)).result).toBeDefined()
})

it('answers what was asked before the end of the input, and then ends', async () => {
  const server = await serve(endpoint(read))
  done.push(() => shut(server))
  const client = pipe(portOf(server))
  client.say({ id: 1, method: 'initialize', params: hello })
  client.input.end()
  await client.ended
  expect(client.lines).toMatchObject([{ id: 1 }])
})
