import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { ada, openSource } from '../support/mcp-source.ts'
import type { OpenedSource } from '../support/mcp-source.ts'

const patient = { timeout: 30_000, interval: 100 }
const programOf = (server: string) =>
  join(inject('outsideTools'), 'node_modules/@modelcontextprotocol', server, 'dist/index.js')
const byStdio = (server: string, ...args: string[]) => ({
  transport: 'stdio' as const,
  command: process.execPath,
  args: [programOf(server), ...args],
})
const hands = () => ({ signal: AbortSignal.timeout(20_000) })

/** Answers with what kills it, which is done when the test is over, if not before. */
function startEverything(port: number): () => Promise<void> {
  const child = spawn(process.execPath, [programOf('server-everything'), 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: 'ignore',
  })
  const gone = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(kill)
  return kill
}

async function everythingByHttp(): Promise<OpenedSource> {
  const port = await freePort()
  startEverything(port)
  return everythingAt(port)
}

function everythingAt(port: number): OpenedSource {
  // It listens a while later: until then it is as any other server that is not there.
  return openSource({
    transport: 'http',
    url: `http://127.0.0.1:${port}/mcp`,
    retryPolicy: { maxRetries: 0, initialDelay: 100, maxDelay: 500 },
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe.each([
  ['stdio', async () => openSource(byStdio('server-everything', 'stdio'))],
  ['HTTP', everythingByHttp],
])('server-everything by %s', (_name, open) => {
  test('tools, progress, cancelling, questions, resources and prompts', async () => {
    const { source, text, call, becomes } = await open()
    await becomes('healthy')
    await vi.waitFor(
      () => expect(source.tools().map(({ name }) => name)).toContain('trigger-sampling-request'),
      patient,
    )
    expect(source.health()).toMatchObject({
      protocol: '2025-11-25',
      server: expect.stringContaining('everything'),
    })
    expect(await text('get-sum', { a: 2, b: 3 })).toContain('5')
    expect(await call('get-structured-content', { location: 'New York' })).toMatchObject({
      structuredContent: expect.anything(),
    })

    const steps: number[] = []
    const onProgress = ({ progress }: { progress: number }) => void steps.push(progress)
    await text('trigger-long-running-operation', { duration: 0.4, steps: 4 }, { onProgress })
    expect(steps).toEqual([1, 2, 3, 4])
    const hangUp = new AbortController()
    const endless = call(
      'trigger-long-running-operation',
      { duration: 600, steps: 6_000 },
      { signal: hangUp.signal, onProgress: () => hangUp.abort() },
    )
    await expect(endless).rejects.toMatchObject({ reason: 'cancelled' })

    const asked: string[] = []
    const ask = async (requests: Record<string, { method: string }>) =>
      Object.fromEntries(
        Object.entries(requests).map(([key, { method }]) => {
          asked.push(method)
          return [
            key,
            method === 'elicitation/create'
              ? { action: 'decline' }
              : { role: 'assistant', model: 'none', content: { type: 'text', text: 'a sampled answer' } },
          ]
        }),
      )
    expect(await text('trigger-elicitation-request', {}, { ask })).toMatch(/declin/i)
    expect(await text('trigger-sampling-request', { prompt: 'hi', maxTokens: 5 }, { ask })).toContain('sampl')
    expect(asked).toEqual(['elicitation/create', 'sampling/createMessage'])

    const listed = await source.request?.(ada, 'resources/list', {}, hands())
    const uri = (listed as { resources: { uri: string }[] }).resources[0]?.uri
    const read = await source.request?.(ada, 'resources/read', { uri }, hands())
    expect(read).toMatchObject({ contents: [{ uri }] })
    const prompt = await source.request?.(ada, 'prompts/get', { name: 'simple-prompt' }, hands())
    expect(prompt).toMatchObject({ messages: [{ role: 'user' }] })
    expect(source.health()).toMatchObject({ status: 'healthy' })
  })
})

test('server-everything by HTTP is killed in a call, which fails at once, and started anew between two', async () => {
  const port = await freePort()
  const kill = startEverything(port)
  const { source, call, text, becomes } = everythingAt(port)
  await becomes('healthy')
  const begun = Promise.withResolvers<void>()
  const operation = call(
    'trigger-long-running-operation',
    { duration: 60, steps: 600 },
    { onProgress: () => begun.resolve() },
  ).catch((error: unknown) => error)
  await begun.promise
  await kill()
  const began = performance.now()
  expect(await operation).toMatchObject({ reason: 'source_failed', isUnsent: false })
  expect(source.health().status).toBe('unhealthy')
  expect(performance.now() - began).toBeLessThan(5_000)

  const killAgain = startEverything(port)
  await becomes('healthy')
  await killAgain()
  startEverything(port)
  await vi.waitFor(async () => expect(await text('echo', { message: 'hi' })).toContain('hi'), patient)
})

test('server-filesystem keeps to its folder', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-files-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'a.txt'), 'what is in it')
  const { text, call, becomes } = openSource(byStdio('server-filesystem', folder))
  await becomes('healthy')
  expect(await text('read_text_file', { path: join(folder, 'a.txt') })).toBe('what is in it')
  expect(await call('read_text_file', { path: '/etc/passwd' })).toMatchObject({ isError: true })
})

test('server-memory remembers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-memory-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }
  const { text } = openSource({ ...byStdio('server-memory'), env })
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['counts'] }]
  await text('create_entities', { entities })
  expect(await text('read_graph')).toContain('counts')
})
