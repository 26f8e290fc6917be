import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChat, textOf } from '../support/bridge.ts'
import { buildImage } from '../support/build-image.ts'
import { openYard, runInside } from '../support/container.ts'
import type { Yard } from '../support/container.ts'
import { noEngine } from '../support/docker.ts'

const root = join(import.meta.dirname, '../..')

describe.skipIf(noEngine)('the images for users', { timeout: 120_000 }, () => {
  let folder: string
  let yard: Yard
  let socket: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'images-'))
    yard = await openYard()
    socket = yard.engine.address.replace('unix://', '')
    cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true })
    execFileSync(process.execPath, [join(root, 'scripts/bundle-agent.ts'), join(folder, 'dist/agent')])
    // Programs in the image run as somebody else.
    execFileSync('chmod', ['-R', 'a+rX', folder])
  }, 120_000)
  afterAll(async () => {
    await yard?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const build = (name: string, args: Record<string, string>) =>
    buildImage(socket, {
      context: folder,
      dockerfile: `deploy/${name}.Dockerfile`,
      tag: `signalbox-test:${name}-for-users`,
      args: { BASE: yard.engine.image, ...args },
    })

  it('one for workspaces: not root, and usable as a workspace', async () => {
    await build('workspace', {})
    const image = 'signalbox-test:workspace-for-users'
    const { Config } = await yard.asker.ask<{ Config: { User: string } }>('GET', `/images/${image}/json`)
    expect(Config.User).toBe('10001:10001')
    const boundary = await yard.open(yard.spec({ image }))
    expect(await runInside(boundary, 'git --version > /dev/null && echo $HOME && id -u')).toMatchObject({
      stdout: '/home/agent\n10001\n',
      exitCode: 0,
    })
    await boundary.close(0)
  })

  it('one for the bridge: an agent in it answers over /chat, and it says that it is well', async () => {
    await build('agent', { AGENT: '' })
    const [work, scripted] = [join(folder, 'work'), join(folder, 'scripted')]
    mkdirSync(work)
    chmodSync(work, 0o777)
    cpSync(join(root, 'test/support'), scripted, { recursive: true })
    execFileSync('chmod', ['-R', 'a+rX', scripted])
    const token = 'a-token-of-this-test'
    const name = `signalbox-agent-${process.pid}`
    await yard.asker.ask('POST', '/containers/create', {
      query: { name },
      body: {
        Image: 'signalbox-test:agent-for-users',
        Env: [
          // The engine of tests has no network to publish ports from.
          'HOST=127.0.0.1',
          `PORT=${await freePort()}`,
          `AGENT_TOKEN=${token}`,
          'AGENT_COMMAND=/usr/local/bin/node',
          'AGENT_ARGS=/scripted/scripted-acp-agent.ts',
        ],
        HostConfig: {
          NetworkMode: 'host',
          Init: true,
          Binds: [`${work}:/workspace`, `${scripted}:/scripted:ro`],
        },
      },
    })
    try {
      await yard.asker.ask('POST', `/containers/${name}/start`)
      const url = await readyLine(yard, name)
      expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' })
      expect((await fetch(`${url}/chat`)).status).toBe(401)
      const chat = openChat(`${url}/chat`, { authorization: `Bearer ${token}` })
      await chat.sendMessage({ text: 'hello from the inside' })
      expect(textOf(chat.messages.at(-1))).toContain('hello from the inside')
      const state = async () =>
        (await yard.asker.ask<{ State: State }>('GET', `/containers/${name}/json`)).State
      const status = readFileSync(`/proc/${(await state()).Pid}/status`, 'utf8')
      expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe('10001')
      await expect.poll(async () => (await state()).Health.Status, { timeout: 30_000 }).toBe('healthy')
    } finally {
      await yard.asker.ask('DELETE', `/containers/${name}`, { query: { force: '1' } })
    }
  })
})

interface State {
  Pid: number
  Health: { Status: string }
}

/** What the image says of its health needs a port that is known. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function readyLine({ asker }: Yard, name: string): Promise<string> {
  const query = { stdout: '1', stderr: '1', follow: '1' }
  const output = await asker.follow('GET', `/containers/${name}/logs`, { query })
  let said = ''
  for await (const line of createInterface(output)) {
    said += `${line}\n`
    const [, address] = /Signalbox agent ready at (\S+)/.exec(line) ?? []
    if (address === undefined) continue
    output.destroy()
    return address
  }
  throw new Error(`The bridge did not come up: ${said}`)
}
