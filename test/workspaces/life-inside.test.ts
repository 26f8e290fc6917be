import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WorkspaceDriver } from '#contract/workspace.ts'
import { testEngine } from '../support/docker.ts'
import { done, openPlace, openSessionIn, patience, use } from './place.ts'
import type { Place } from './place.ts'

// What lives inside walls besides agents: the app's own server, seen from outside, and the ports for programs in there.

const drivers: WorkspaceDriver[] = ['sandbox', 'docker']
const node = '$([ -x /opt/signalbox/node ] && echo /opt/signalbox/node || echo node)'
const app = { command: `exec ${node} app.cjs`, port: 8042 }

describe.each(drivers)('in a workspace of the driver %s', (driver) => {
  let place: Place
  let sessionId: string
  let workspaceId: string

  beforeAll(async () => {
    place = await openPlace(driver === 'docker' ? await engineEnv() : {})
    copyFileSync(join(import.meta.dirname, '../support/preview-app.cjs'), join(place.repository, 'app.cjs'))
    const git = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org']
    execFileSync('git', ['add', '.'], { cwd: place.repository })
    execFileSync('git', [...git, 'commit', '-qm', 'An app'], { cwd: place.repository })
    ;({ sessionId, workspaceId } = await openSessionIn(place, driver, { app, egress: 'none' }))
  }, 120_000)
  afterAll(async () => {
    await place?.close()
  })

  /** A browser, with the cookie that it was given. */
  async function browse(path: string, host: string, cookie = '') {
    const { port } = new URL(place.box.url)
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { host: `${host}:${port}`, cookie }
      request({ host: '127.0.0.1', port, path, headers, agent: false }, resolve).on('error', reject).end()
    })
    const [given = ''] = answer.headers['set-cookie'] ?? []
    return { status: answer.statusCode, cookie: given.split(';', 1)[0] ?? '', text: await text(answer) }
  }

  async function openPreview(port?: number): Promise<{ host: string; cookie: string }> {
    const asked = port === undefined ? {} : { port }
    const { url } = done(await place.box.call('POST', `/workspaces/${workspaceId}/preview`, asked), 201)
    const { hostname, pathname, search } = new URL(url)
    const { status, cookie } = await browse(pathname + search, hostname)
    expect(status).toBe(303)
    return { host: hostname, cookie }
  }

  const run = async (command: string) => done(await use(place, sessionId, 'command', { command }))
  /** Asks a port inside, from inside. */
  const inside = async (port: number, path: string, init: object = {}) => {
    const script = `fetch('http://127.0.0.1:${port}${path}', ${JSON.stringify(init)}).then(async (a) => process.stdout.write(JSON.stringify([a.status, await a.text()])))`
    const { stdout, stderr } = await run(`${node} -e ${quoted(script)}`)
    expect(stderr).toBe('')
    const [status, body] = JSON.parse(stdout)
    return { status, body: JSON.parse(body) }
  }

  it('the app is kept alive and seen from outside, through walls without a network', async () => {
    const { host, cookie } = await openPreview()
    expect(await browse('/', host, cookie)).toMatchObject({ status: 200, text: '<h1>The app</h1>' })
    await browse('/die', host, cookie).catch(() => undefined)
    await expect.poll(async () => (await browse('/', host, cookie)).status, patience).toBe(200)
  })

  it('another port of 8000 to 8100 can be seen, and one of ours cannot', async () => {
    const { host, cookie } = await openPreview(8077)
    const silent = await browse('/', host, cookie)
    expect(silent.status).toBe(502)
    expect(silent.text).toContain('Nothing listens on port 8077')
    for (const port of [3001, 3128, 3129, 4321])
      expect((await place.box.call('POST', `/workspaces/${workspaceId}/preview`, { port })).status).toBe(422)
  })

  it('programs find the tools over plain HTTP and as MCP', async () => {
    const asked = { method: 'POST', body: JSON.stringify({ path: 'src/one.ts' }) }
    expect(await inside(3001, '/read', asked)).toMatchObject({
      status: 200,
      body: { content: 'export const one = 1\n' },
    })
    const outside = { method: 'POST', body: JSON.stringify({ path: '/etc/passwd' }) }
    expect(await inside(3001, '/read', outside)).toMatchObject({ status: 403 })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const { body: listed } = await inside(3001, '/mcp', { method: 'POST', body })
    expect(listed.result.tools).toHaveLength(6)
  })

  it('programs find the health of all, and can restart the app', async () => {
    const { body: before } = await inside(4321, '/health')
    expect(before).toMatchObject({
      status: 'ok',
      app: { port: 8042, said: expect.stringContaining('the app is up') },
    })
    expect(await inside(4321, '/restart', { method: 'POST' })).toMatchObject({ status: 200 })
    await expect.poll(async () => (await inside(4321, '/health')).body.app.state, patience).toBe('running')
    expect((await inside(4321, '/health')).body.app.pid).not.toBe(before.app.pid)
  })

  it('an MCP client in there can start the server itself', async () => {
    const messages = [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {} },
      },
      {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'list_files', arguments: { path: 'src' } },
      },
    ]
    const lines = messages.map((message) => `${JSON.stringify(message)}\n`).join('')
    // It ends with its input, and what it is asked for takes a moment.
    const fed = `{ printf %s ${quoted(lines)}; until grep -q '"id":2' /tmp/said; do :; done; }`
    const { stdout } = await run(
      `touch /tmp/said; ${fed} | ${node} /opt/signalbox/host.mjs mcp --root /workspace > /tmp/said; cat /tmp/said`,
    )
    const replies = stdout
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line))
    expect(replies[0].result).toMatchObject({ protocolVersion: '2025-11-25' })
    expect(replies[1].result.content[0].text).toContain('one.ts')
  })
})

const quoted = (words: string) => `'${words.replaceAll("'", "'\\''")}'`

async function engineEnv() {
  const { address, image } = await testEngine()
  return { DOCKER_HOST: address, WORKSPACE_IMAGE: image }
}
