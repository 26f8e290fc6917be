import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openNone } from '#boundaries/none/open.ts'
import { openApp } from './app.ts'
import type { App, AppPace } from './app.ts'
import { acceptsInside } from './connect-inside.ts'
import { startProgram } from './start-program.ts'

const pace: AppPace = { firstMs: 20, longestMs: 50, livedMs: 60_000, graceMs: 5_000, lookMs: 20 }
const patience = { timeout: 20_000, interval: 20 }
const opened: App[] = []
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'app-'))
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((app) => app.stop()))
  rmSync(folder, { recursive: true })
})

async function keep(command: string, port: number): Promise<App> {
  const path = process.env['PATH'] ?? ''
  const none = await openNone({
    start: startProgram,
    markName: 'APP_TEST',
    path,
    hidden: [],
    log: () => undefined,
  })
  const app = openApp(
    { command, port },
    {
      start: (program, mark) => none.start(program, mark),
      mark: folder,
      cwd: folder,
      env: { PATH: path },
      pace,
    },
  )
  opened.push(app)
  return app
}

/** One that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const serverScript = (port: string, host: string) =>
  `const born = Math.random(); require('http').createServer((q, s) => q.url === '/die' ? process.exit(3) : s.end(born + ' ' + process.env.PORT)).listen(${port}, ${host}, () => console.log('up'))`

function script(host = 'process.env.HOST', port = 'process.env.PORT'): string {
  writeFileSync(join(folder, 'server.cjs'), serverScript(port, host))
  return `exec ${process.execPath} server.cjs`
}

const untilRunning = (app: App) => vi.waitFor(() => expect(app.state().state).toBe('running'), patience)

it('starts it, says when it is ready, tells what it said, and ends all of it', async () => {
  const port = await freePort()
  const app = await keep(`echo hello; sleep 1000 & ${script()}`, port)
  expect(app.state()).toMatchObject({ state: 'stopped', pid: null })
  expect(app.start().state).toBe('starting')
  expect(app.start().state).toBe('starting')
  await untilRunning(app)
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toMatch(new RegExp(`${port}$`))
  await vi.waitFor(() => expect(app.state().said).toBe('hello\nup\n'), patience)
  expect(await app.stop()).toMatchObject({ state: 'stopped', pid: null, restarts: 0 })
  expect(await acceptsInside(port)).toBe(false)
})

it('finds one that listens on the other loopback alone', async () => {
  const app = await keep(script("'::1'"), await freePort())
  app.start()
  await untilRunning(app)
  expect(app.state().restarts).toBe(0)
})

it('starts it again when it dies, and when it is told to', async () => {
  const port = await freePort()
  const app = await keep(script(), port)
  app.start()
  await untilRunning(app)
  const birthOf = async () => (await (await fetch(`http://127.0.0.1:${port}`)).text()).split(' ')[0]
  const first = await birthOf()
  await fetch(`http://127.0.0.1:${port}/die`).catch(() => undefined)
  await vi.waitFor(() => expect(app.state().restarts).toBe(1), patience)
  await untilRunning(app)
  expect(app.state().said).toContain('[signalbox] It ended with 3\n')
  const second = await birthOf()
  expect(second).not.toBe(first)
  await Promise.all([app.restart(), app.restart()])
  await untilRunning(app)
  expect(await birthOf()).not.toBe(second)
})

it('calls it failing when it dies again and again, and is glad when it comes up after all', async () => {
  const command = `test -f cure && ${script()}; echo broken; exit 1`
  const app = await keep(command, await freePort())
  app.start()
  await vi.waitFor(() => expect(app.state().state).toBe('failing'), patience)
  expect(app.state().restarts).toBeGreaterThanOrEqual(4)
  expect(app.state().said).toContain('broken')
  writeFileSync(join(folder, 'cure'), '')
  await untilRunning(app)
})

it('keeps the last 64 KB of what it says, from the beginning of a line', async () => {
  const app = await keep('seq 1 100000; sleep 1000', await freePort())
  app.start()
  await vi.waitFor(() => expect(app.state().said.endsWith('\n100000\n')).toBe(true), patience)
  const { said } = app.state()
  expect(said.length).toBeGreaterThan(65_000)
  expect(said.length).toBeLessThanOrEqual(65_536)
  const first = Number(said.split('\n')[0])
  expect(said).toBe(Array.from({ length: 100_001 - first }, (_, at) => `${first + at}\n`).join(''))
})

it('does not take another program on its port for the app', async () => {
  const other = createServer((_, response) => response.end('other'))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const app = await keep('echo begun >> began; sleep 1000', port)
  app.start()
  await vi.waitFor(() => expect(app.state().said).toContain(`already listens on port ${port}`), patience)
  expect(app.state().state).not.toBe('running')
  expect(() => readFileSync(join(folder, 'began'))).toThrow('ENOENT')
  other.closeAllConnections()
  await new Promise((resolve) => other.close(resolve))
  await vi.waitFor(() => expect(readFileSync(join(folder, 'began'), 'utf8')).toBe('begun\n'), patience)
})

it('starts again what is wanted again while it still ends', async () => {
  const app = await keep(script(), await freePort())
  app.start()
  await untilRunning(app)
  const stopped = app.stop()
  app.start()
  await stopped
  await untilRunning(app)
  expect(app.state().pid).not.toBeNull()
})
