import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { UnknownAddress, engineAddress } from './address.ts'
import { EngineAway, EngineRefused, openEngine } from './engine.ts'
import { probeDocker } from './probe.ts'

const folder = join(tmpdir(), `engine-test-${randomUUID().slice(0, 8)}`)
const socketPath = join(folder, 's')
let server: Server | undefined
beforeAll(() => mkdirSync(folder))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
  rmSync(socketPath, { force: true })
})

/** Something that speaks as an engine does, at its worst. */
async function openFor(answer: RequestListener, version = '1.41') {
  const asked: string[] = []
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    if (request.url === '/_ping') response.setHeader('api-version', version).end('OK')
    else answer(request, response)
  })
  await new Promise<void>((resolve) => server?.listen(socketPath, resolve))
  return { asked, engine: openEngine(engineAddress({ DOCKER_HOST: `unix://${socketPath}` })) }
}

describe('where the engine is', () => {
  it('is what DOCKER_HOST says, by a socket or by a port', () => {
    expect(engineAddress({ DOCKER_HOST: 'unix:///run/d.sock' }).at).toEqual({ socketPath: '/run/d.sock' })
    expect(engineAddress({ DOCKER_HOST: 'tcp://10.0.0.1:1234' }).at).toEqual({ host: '10.0.0.1', port: 1234 })
    expect(engineAddress({ DOCKER_HOST: 'tcp://[::1]' }).at).toEqual({ host: '::1', port: 2375 })
    for (const DOCKER_HOST of ['ssh://me@there', 'unix://', 'npipe:////./pipe/x', 'tcp://', 'nonsense'])
      expect(() => engineAddress({ DOCKER_HOST })).toThrow(UnknownAddress)
  })
})

describe('a question to the engine', () => {
  it('is asked in a version that both speak', async () => {
    for (const [theirs, spoken] of [
      ['1.41', '1.41'],
      ['1.99', '1.47'],
      ['2.0', '1.47'],
    ] as const) {
      const { asked, engine } = await openFor((_, response) => response.end('{"ok":true}'), theirs)
      expect(await engine.ask('GET', '/info', { query: { a: 'b c' } })).toEqual({ ok: true })
      await engine.ask('GET', '/info')
      expect(asked).toEqual(['GET /_ping', `GET /v${spoken}/info?a=b+c`, `GET /v${spoken}/info`])
      server?.close()
    }
    const { engine } = await openFor((_, response) => response.end(), '1.39')
    await expect(engine.ask('GET', '/info')).rejects.toThrow(/1\.40 is the oldest/)
  })

  it('is refused in its own words', async () => {
    const { engine } = await openFor((_, response) => {
      response.statusCode = 409
      response.end('{"message":"no, thank you"}')
    })
    const refused = await engine.ask('DELETE', '/containers/x').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(EngineRefused)
    expect(refused).toMatchObject({ status: 409, message: 'no, thank you' })
  })

  it('ends when nobody is there, when nobody answers, and when the answer stops in the middle', async () => {
    const nobody = openEngine(engineAddress({ DOCKER_HOST: `unix://${socketPath}` }))
    await expect(nobody.ask('GET', '/info')).rejects.toThrow(EngineAway)
    await expect(nobody.ask('GET', '/info')).rejects.toThrow(/is not running, or not there/)

    const silent = await openFor(() => undefined)
    await expect(silent.engine.ask('GET', '/info', { limitMs: 50 })).rejects.toThrow(
      /did not answer within 0.05 s/,
    )
    server?.closeAllConnections()
    server?.close()

    const halting = await openFor((_, response) =>
      response.writeHead(200, { 'content-length': 10 }).write('{"a"'),
    )
    await expect(halting.engine.ask('GET', '/info', { limitMs: 50 })).rejects.toThrow(EngineAway)
    server?.closeAllConnections()
    server?.close()

    const dying = await openFor((request, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('{"a"', () => request.socket.destroy())
    })
    await expect(dying.engine.ask('GET', '/info')).rejects.toThrow(EngineAway)
  })
})

describe('the probe', () => {
  const at = { DOCKER_HOST: `unix://${socketPath}` }

  it('says why there are no containers here, and what to do', async () => {
    expect(await probeDocker(null, at)).toMatchObject({ driver: 'docker', works: false, version: null })
    expect((await probeDocker(null, at)).reason).toMatch(/does not answer: .*systemctl start docker/)
    expect((await probeDocker(null, { DOCKER_HOST: 'ssh://me@there' })).reason).toMatch(
      /unix:\/\/\/path and tcp:/,
    )
  })

  it('does not wait long for an engine that hangs', { timeout: 20_000 }, async () => {
    server = createServer(() => undefined)
    await new Promise<void>((resolve) => server?.listen(socketPath, resolve))
    const { works, reason } = await probeDocker(null, at)
    expect(works).toBe(false)
    expect(reason).toBe(
      `The Docker engine at unix://${socketPath} does not answer: it did not answer within 5 s`,
    )
  })

  it('says which limits the engine lacks, and that an image is not there', async () => {
    const info = {
      ServerVersion: '28.1',
      SecurityOptions: ['name=seccomp,profile=builtin'],
      MemoryLimit: true,
    }
    await openFor((request, response) => {
      if (request.url?.includes('/images/')) response.statusCode = 404
      response.end(JSON.stringify({ ...info, SwapLimit: false, CpuCfsQuota: false, PidsLimit: true }))
    })
    const { works, lacks, version } = await probeDocker('node:24', at)
    expect({ works, version }).toEqual({ works: true, version: '28.1' })
    expect(lacks.map(({ what }) => what)).toEqual(['cpu limit', 'swap limit', 'image node:24'])
    expect(lacks.at(-1)?.why).toContain('docker pull node:24')
  })
})
