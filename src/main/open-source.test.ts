import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { loadConfig } from '#config/config.ts'
import { SourceConfig } from '#contract/source.ts'
import type { SourceStatus } from '#contract/source.ts'
import type { SourceRow } from '#db/sources.ts'
import { newId } from '#lib/id.ts'
import { openSeal } from '#lib/sealed.ts'
import type { ToolSource } from '#tools/port.ts'
import { openRow, sealedAs } from '#worker/tools/open-row.ts'
import { hideSecrets } from '#worker/tools/source-secrets.ts'
import { httpUpstream } from '../../test/support/http-upstream.ts'
import { ada } from '../../test/support/mcp-source.ts'
import { webSocketUpstream } from '../../test/support/web-socket-upstream.ts'
import { openSourceOf } from './open-source.ts'

/** As the worker opens what is kept. */
async function open(given: object, env: NodeJS.ProcessEnv = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'open-source-')))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const seal = openSeal(home)
  const told: string[] = []
  const log = pino({}, { write: (line: string) => void told.push(line) })
  const id = newId()
  const { config, secrets } = hideSecrets(
    SourceConfig.parse({ retryPolicy: { initialDelay: 60_000, maxDelay: 60_000 }, ...given }),
  )
  const row = { id, name: 'one', config, secrets: seal.seal(secrets, sealedAs({ id })) } as SourceRow
  const variables = { PATH: process.env['PATH'], HOME: home, SIGNALBOX_HOME: home, ...env }
  const source = await openRow(row, {
    seal,
    log,
    check: () => ({
      config: loadConfig({ env: variables, cwd: home }),
      env: variables,
      ourAddresses: async () => [],
    }),
    openSource: openSourceOf({
      home,
      log,
      version: '0.0.0',
      oauth: () => Promise.reject(new Error('nobody logs in here')),
      keepHome: async ({ origin }) => origin,
    }),
  })
  onTestFinished(() => source.close())
  return { source, told }
}

const becomes = (source: ToolSource, status: SourceStatus) =>
  vi.waitFor(() => expect(source.health()).toMatchObject({ status }), { timeout: 20_000, interval: 20 })
const call = (source: ToolSource, tool: string) =>
  source.call(ada, tool, {}, { signal: AbortSignal.timeout(15_000) })
const shownBy = (source: ToolSource, told: readonly string[]) =>
  [JSON.stringify(source.health()), ...told].join('\n')

test('what a program says of its secrets before it ends is told without them', async () => {
  const script = `console.error(process.env.KEY, btoa(process.env.KEY), process.argv.at(-1)); process.exit(3)`
  const { source, told } = await open(
    {
      transport: 'stdio',
      command: process.execPath,
      args: ['-e', script, '--', '--api-key', 'arg-key-of-it'],
      env: { KEY: '${GIVEN}', OTHER: 'o-2' },
    },
    { GIVEN: 'k-13579' },
  )
  await becomes(source, 'unhealthy')
  expect(source.health().error).toMatch(
    /^It ended with exit code 3.*: \[redacted\] \[redacted\] \[redacted\]$/,
  )
  const failed = await call(source, 'x').catch((error: unknown) => error)
  expect(String(failed)).toContain('exit code 3')
  expect(`${shownBy(source, told)} ${String(failed)}`).not.toMatch(/k-13579|arg-key-of-it/)
})

test('half a secret is told by nobody, wherever its words are cut', async () => {
  const script = `process.stderr.write(process.env.KEY.repeat(500)); process.stdout.write('y'.repeat(190) + process.env.KEY + '\\n'); setTimeout(() => process.exit(1), 300)`
  const { source, told } = await open({
    transport: 'stdio',
    command: process.execPath,
    args: ['-e', script],
    env: { KEY: 'a-key-of-seventeen' },
  })
  await becomes(source, 'unhealthy')
  expect(shownBy(source, told)).toContain('yyyy')
  expect(shownBy(source, told)).not.toMatch(/a-key-of|seventeen/)
})

test('what an upstream repeats of its headers is told without them, also where a call fails', async () => {
  const upstream = await httpUpstream()
  upstream.instead.set('tools/call', ({ id }, { headers }, response) => {
    const key = String(headers['x-key'])
    const error = { code: -32000, message: `no: ${key}`, data: { got: [key] } }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
  })
  const { source } = await open({ transport: 'http', url: upstream.url, headers: { 'X-Key': 'hk-9753' } })
  await becomes(source, 'healthy')
  await expect(call(source, 'echo')).rejects.toMatchObject({
    reason: 'source_failed',
    message: 'one: It answered with an error: no: [redacted] (-32000)',
    context: { code: -32000, data: { got: ['[redacted]'] } },
  })
})

test('a password in an address is sent as Basic, and shown nowhere', async () => {
  const upstream = await httpUpstream()
  const seen = new Set<string | undefined>()
  upstream.server.prependListener('request', ({ headers, url }) => {
    seen.add(`${headers.authorization} ${url}`)
  })
  const { source } = await open({
    transport: 'http',
    url: upstream.url.replace('://', '://me:pass%2Bword@'),
  })
  await becomes(source, 'healthy')
  expect([...seen]).toEqual([`Basic ${btoa('me:pass+word')} /mcp`])

  const socket = await webSocketUpstream(() => {})
  await open({ transport: 'websocket', url: socket.url.replace('://', '://me:pass%2Bword@') })
  await vi.waitFor(
    () => expect(socket.came[0]?.headers.authorization).toBe(`Basic ${btoa('me:pass+word')}`),
    {
      timeout: 20_000,
    },
  )
})

test('a web API behind a password is read and called with it', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: { '/items': { get: { operationId: 'items', responses: {} } } },
  }
  const server = createServer(({ headers, url }, response) => {
    if (headers.authorization !== `Basic ${btoa('me:pass+word')}`)
      return void response.writeHead(401, headers.authorization).end()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(url === '/openapi.json' ? document : { items: 2 }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`
  const { source } = await open({ transport: 'openapi', url: `http://me:pass%2Bword@${place}` })
  await becomes(source, 'healthy')
  expect(await call(source, 'items')).toMatchObject({ structuredContent: { items: 2 } })

  const wrong = await open({ transport: 'openapi', url: `http://me:wrong-word@${place}` })
  await becomes(wrong.source, 'unhealthy')
  expect(wrong.source.health().error).toContain('401')
  expect(shownBy(wrong.source, wrong.told)).not.toMatch(new RegExp(`wrong-word|${btoa('me:wrong-word')}`))
})

test.each([
  [{ transport: 'http', url: 'http://127.0.0.1:9/mcp', headers: { 'X-Key': '${KEY}' } }, 'headers.X-Key'],
  [{ transport: 'websocket', url: 'ws://127.0.0.1:9', auth: { token: '${KEY}' } }, 'auth.token'],
])('a secret that no header can say is told without being said', async (given, field) => {
  const { source, told } = await open(given, { KEY: 'lined-secret\nmore' })
  expect(source.health()).toMatchObject({
    status: 'unhealthy',
    error: expect.stringContaining(`config.${field}: has a line break`),
  })
  expect(shownBy(source, told)).not.toContain('lined-secret')
})
