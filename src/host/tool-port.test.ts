import { writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { HostHealth } from '#contract/host.ts'
import { openTestWorkspace } from '../../test/support/workspace-tools.ts'
import type { TestWorkspace } from '../../test/support/workspace-tools.ts'
import { openHealthPort } from './health-port.ts'
import { openToolPort } from './tool-port.ts'
import type { OpenPort, PortParts } from './tool-port.ts'

const app = { state: 'running', command: 'x', port: 1, pid: 1, restarts: 0, said: '' } as const
const told: HostHealth = { status: 'ok', protocol: 1, pid: 1, node: 'v24', uptimeMs: 5, programs: 0, app }

let workspace: TestWorkspace
const opened: OpenPort[] = []
const log: string[] = []
beforeEach(() => {
  workspace = openTestWorkspace()
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((port) => port.close()))
  await workspace.close()
  log.length = 0
})

async function open(more: Partial<PortParts> = {}): Promise<string> {
  const parts = { port: 0, tools: workspace.tools, health: () => told, log: (line: string) => log.push(line) }
  const port = await openToolPort({ ...parts, ...more })
  opened.push(port)
  return `http://127.0.0.1:${port.port}`
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })

it('offers every tool, and tells each request in the log', async () => {
  const url = await open()
  expect((await post(`${url}/write`, { path: 'a.txt', content: 'one' })).status).toBe(200)
  expect(await (await post(`${url}/read`, { path: 'a.txt' })).json()).toMatchObject({
    content: 'one',
    lines: 1,
  })
  expect((await post(`${url}/edit`, { path: 'a.txt', find: 'one', replace: 'two' })).status).toBe(200)
  expect(await (await post(`${url}/list`, {})).json()).toMatchObject({ entries: [{ name: 'a.txt' }] })
  expect(await (await post(`${url}/search`, { pattern: '*' })).json()).toMatchObject({
    files: [{ path: 'a.txt' }],
  })
  const ran = await post(`${url}/command`, { command: 'seq 1 400000' })
  const { stdoutRest } = (await ran.json()) as { stdoutRest: { handle: string } }
  expect((await post(`${url}/output`, { handle: stdoutRest.handle })).status).toBe(200)
  expect(await (await fetch(`${url}/health`)).json()).toEqual(told)
  expect(log).toHaveLength(8)
  expect(log[0]).toMatch(/^POST \/write 200 \d+ ms$/)
})

it('says what was wrong in one form, with a status that fits', async () => {
  const url = await open({ longestBody: 1024 })
  const refused = async (answer: Response) => [
    answer.status,
    ((await answer.json()) as { error: object }).error,
  ]
  const code = (name: string) => expect.objectContaining({ code: name, message: expect.any(String) })
  expect(await refused(await post(`${url}/read`, '{'))).toEqual([400, code('bad_json')])
  expect(await refused(await post(`${url}/read`, {}))).toEqual([422, code('tool_input')])
  expect(await refused(await post(`${url}/read`, { path: '../x' }))).toEqual([403, code('path_outside')])
  expect(await refused(await post(`${url}/read`, { path: 'x' }))).toEqual([404, code('path_not_found')])
  expect(await refused(await post(`${url}/nothing`, {}))).toEqual([404, code('not_found')])
  expect(await refused(await fetch(`${url}/read`))).toEqual([404, code('not_found')])
  const long = { path: 'x', content: 'x'.repeat(2000) }
  expect(await refused(await post(`${url}/write`, long))).toEqual([413, code('body_too_large')])
})

it('streams a command that is asked to be streamed, and ends it when nobody listens any more', async () => {
  const url = await open()
  const pieces = await (await post(`${url}/command`, { command: 'echo hi', stream: true })).text()
  const lines = pieces
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.at(0)).toEqual({ type: 'stdout', text: 'hi\n' })
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: { exitCode: 0 } })
  const hangUp = new AbortController()
  const body = JSON.stringify({ command: 'echo $$; exec sleep 1000', stream: true, timeout: 60_000 })
  const running = await fetch(`${url}/command`, { method: 'POST', body, signal: hangUp.signal })
  const first = await running.body!.getReader().read()
  const pid = Number(JSON.parse(Buffer.from(first.value ?? []).toString()).text)
  process.kill(pid, 0)
  hangUp.abort()
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('takes so many requests a minute and says when to come again', async () => {
  const url = await open({ perMinute: 3 })
  const statuses: number[] = []
  for (let at = 0; at < 4; at += 1) statuses.push((await fetch(`${url}/health`)).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  const answer = await fetch(`${url}/health`)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
})

it('is called by the names of loopback alone', async () => {
  const url = await open()
  const { port } = new URL(url)
  const called = (host: string, origin?: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { host, ...(origin && { origin }) }
      request({ port, path: '/health', headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end()
    })
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, '[::1]']) expect(await called(host)).toBe(200)
  for (const host of ['evil.example', `app.localhost:${port}`, '127.0.0.1.evil.example'])
    expect(await called(host)).toBe(403)
  expect(await called('localhost', 'http://evil.example')).toBe(403)
  expect(await called('localhost', 'null')).toBe(403)
})

it('outlives what is no HTTP at all', async () => {
  const url = await open()
  const socket = createConnection(Number(new URL(url).port), '127.0.0.1')
  socket.end('\x16\x03\x01 nonsense\r\n\r\n')
  expect(await text(socket)).toContain('400 Bad Request')
  expect((await fetch(`${url}/health`)).status).toBe(200)
})

it('tells the health of all that is in there, and restarts the app', async () => {
  let restarts = 0
  const restart = () => Promise.resolve({ ...app, restarts: (restarts += 1) })
  const health = await openHealthPort({ port: 0, health: () => told, restart })
  const none = await openHealthPort({
    port: 0,
    health: () => ({ ...told, app: { ...app, state: 'none' } }),
    restart,
  })
  opened.push(health, none)
  const url = `http://127.0.0.1:${health.port}`
  expect(await (await fetch(`${url}/health`)).json()).toEqual(told)
  expect(await (await post(`${url}/restart`, '')).json()).toMatchObject({ state: 'running', restarts: 1 })
  expect((await fetch(`${url}/restart`)).status).toBe(404)
  expect((await post(`${url}/restart`, '', { origin: 'http://evil.example' })).status).toBe(403)
  expect((await post(`http://127.0.0.1:${none.port}/restart`, '')).status).toBe(404)
  expect(restarts).toBe(1)
})

it('does not begin where another listens', async () => {
  const url = await open()
  writeFileSync(join(workspace.root, 'x'), '')
  await expect(open({ port: Number(new URL(url).port) })).rejects.toThrow('EADDRINUSE')
})
