import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { pino } from 'pino'
import { SourceConfig } from '#contract/source.ts'
import { migrate } from '#db/migrate.ts'
import { openPool } from '#db/pool.ts'
import { openMcpSource } from '#tools/mcp/open.ts'
import type { Caller, Registry, ToolSource } from '#tools/port.ts'
import { openRegistry } from '#tools/registry.ts'
import { openNote } from '#worker/tools/note.ts'
import { settingsOf } from '#worker/tools/sources.ts'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { startProduct } from '../support/product.ts'

const script = join(import.meta.dirname, 'echo-server.ts')
const warmUp = 200
const callsOfEach = 2_000
const log = pino({ level: 'silent' })
const owner: Caller = { kind: 'person', id: 'owner', isOwner: true }

/** What the registry adds to a call, beside the SDK's own client that asks the same server; and what the whole way costs. */
export default async function calls(): Promise<Figure[]> {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-bench-tools-'))
  const server = await startHttp()
  const product = await startProduct()
  const pool = openPool(product.databaseUrl, { max: 5 })
  const registry = openRegistry({
    pins: { of: async () => new Map(), put: async () => undefined },
    approve: async () => undefined,
    note: openNote(pool.db),
  })
  try {
    await migrate(product.databaseUrl, log)
    const stdio = SourceConfig.parse({
      transport: 'stdio',
      command: process.execPath,
      args: [script],
      rateLimit: 1_000_000,
    })
    const http = SourceConfig.parse({ transport: 'http', url: server.url, rateLimit: 1_000_000 })
    for (const [name, config] of Object.entries({ stdio, http })) {
      const source = openMcpSource({ name, config, home, log, version: '0' })
      registry.put(source, settingsOf(config))
      await connected(source)
    }
    const direct = {
      stdio: await connect(new StdioClientTransport({ command: process.execPath, args: [script] })),
      http: await connect(new StreamableHTTPClientTransport(new URL(server.url))),
    }
    await product.call('POST', '/mcp/add', {
      name: 'echo',
      config: { transport: 'http', url: server.url, rateLimit: 1_000_000 },
    })
    const ours = await connect(
      new StreamableHTTPClientTransport(new URL(`${product.url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${product.token}` } },
      }),
    )
    const figures = [
      ...(await compared(
        'stdio',
        () => ask(direct.stdio, 'echo'),
        () => throughRegistry(registry, 'stdio.echo'),
      )),
      ...(await compared(
        'HTTP',
        () => ask(direct.http, 'echo'),
        () => throughRegistry(registry, 'http.echo'),
      )),
      ...(await wholeWay(
        () => ask(direct.http, 'echo'),
        () => ask(ours, 'echo__echo'),
      )),
    ]
    await Promise.all([direct.stdio.close(), direct.http.close(), ours.close()])
    return figures
  } finally {
    await registry.close()
    await pool.close()
    await product.stop()
    server.stop()
    await rm(home, { recursive: true, force: true })
  }
}

async function compared(
  name: string,
  direct: () => Promise<void>,
  ours: () => Promise<void>,
): Promise<Figure[]> {
  const { first, second } = await alternately(direct, ours)
  const peer = { name: 'the SDK’s client', value: percentile(first, 0.5) }
  const added = (share: number) => percentile(second, share) - percentile(first, share)
  return [
    {
      name: `a call through the registry, over ${name}, p50`,
      ours: percentile(second, 0.5),
      unit: 'ms',
      peer,
    },
    {
      name: `  added by the registry, audit in Postgres and all, p50`,
      ours: added(0.5),
      unit: 'ms',
      target: { most: 1 },
    },
    { name: `  added by the registry, p95`, ours: added(0.95), unit: 'ms' },
  ]
}

async function wholeWay(direct: () => Promise<void>, ours: () => Promise<void>): Promise<Figure[]> {
  const { first, second } = await alternately(direct, ours)
  const peer = { name: 'straight to the server', value: percentile(first, 0.5) }
  return [
    {
      name: 'a call from a client by /mcp: web, worker, server and back, p50',
      ours: percentile(second, 0.5),
      unit: 'ms',
      peer,
    },
  ]
}

/**
 * One call of each by turns, so that what else the machine does falls on both, and both find it in the same state: who asks one program a
 * hundred times without a pause keeps it and its processor from falling asleep, and nobody calls tools like that.
 */
async function alternately(first: () => Promise<void>, second: () => Promise<void>) {
  const took = { first: [] as number[], second: [] as number[] }
  for (let count = -warmUp; count < callsOfEach; count += 1)
    for (const [name, work] of [
      ['first', first],
      ['second', second],
    ] as const) {
      const since = performance.now()
      await work()
      if (count >= 0) took[name].push(performance.now() - since)
    }
  return took
}

async function throughRegistry(registry: Registry, tool: string): Promise<void> {
  const { signal } = new AbortController()
  const { content } = await registry.call(owner, tool, { text: 'hello' }, { signal })
  if (content[0]?.['text'] !== 'hello') throw new Error('That was no echo')
}

async function ask(client: Client, name: string): Promise<void> {
  const { content } = await client.callTool({ name, arguments: { text: 'hello' } })
  const [first] = content
  if (first?.type !== 'text' || first.text !== 'hello') throw new Error('That was no echo')
}

async function connect(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'bench', version: '0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  return client
}

async function connected(source: ToolSource): Promise<void> {
  while (source.health().status !== 'healthy') {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = source.onChange(() => resolve())
    if (source.health().status !== 'healthy') await promise
    stop()
  }
}

async function startHttp(): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [script, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  return { url: `http://127.0.0.1:${String(port)}/`, stop: () => void child.kill() }
}
