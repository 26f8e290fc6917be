import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { probeSandbox } from '#boundaries/sandbox/probe.ts'
import { portUpgrade } from '#contract/keeper-protocol.ts'
import type { WorkspaceSpec } from '#contract/workspace.ts'
import { newId } from '#lib/id.ts'
import { insideOwner } from '#lib/inside-owner.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import { startKeeper } from '../../test/support/keeper.ts'
import type { TestKeeper } from '../../test/support/keeper.ts'
import { prepareKeeperRuntime } from '../main/keeper-bundle.ts'

const { works } = await probeSandbox()
const drivers = ['folder', ...(works ? ['sandbox' as const] : [])] as const

describe.each(drivers)('through a keeper, a workspace of the driver %s', (driver) => {
  let base: string
  let keeper: TestKeeper
  let spec: WorkspaceSpec
  const ask = (input: unknown, limitMs = 20_000) => ({
    workspace: spec,
    notAfter: Date.now() + 60_000,
    input,
    limitMs,
  })

  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'tools-'))
    const [root, homes] = [join(base, 'root'), join(base, 'homes')]
    const { uid, gid } = insideOwner()
    for (const folder of [root, homes]) {
      mkdirSync(folder)
      if (driver !== 'folder' && process.getuid?.() === 0) chownSync(folder, uid, gid)
    }
    const app = {
      command: `exec ${driver === 'folder' ? process.execPath : 'node'} -e 'require("net").createServer((c) => c.end("from the app")).listen(process.env.PORT, "127.0.0.1")'`,
      port: await freePort(),
    }
    const walls = {
      homes,
      image: null,
      egress: 'none' as const,
      modelHosts: [],
      forwards: [],
      mounts: [],
      limits: { memoryMb: 512, cpus: 1, pids: 128 },
      ports: [],
      commandRules: [],
    }
    spec =
      driver === 'folder' ? { id: newId(), driver, root, app } : { id: newId(), driver, root, app, ...walls }
    const command = await prepareKeeperRuntime(join(base, 'home'))
    keeper = await startKeeper({ command })
  }, 60_000)
  afterAll(async () => {
    await keeper?.stop()
    rmSync(base, { recursive: true, force: true })
  })

  it('tells how it is, once it is open', async () => {
    const { status, body } = await keeper.call('POST', '/workspace', ask(undefined))
    expect([status, body.status]).toEqual([200, 'ok'])
    expect((await keeper.call('GET', '/')).body).toMatchObject({ isOpen: true, workspaceId: spec.id })
  })

  it('is read and written', async () => {
    const written = await keeper.call('POST', '/tools/write', ask({ path: 'a/b.txt', content: 'hello' }))
    expect(written.status).toBe(200)
    expect(readFileSync(join(spec.root, 'a/b.txt'), 'utf8')).toBe('hello')
    const { body } = await keeper.call('POST', '/tools/read', ask({ path: '/workspace/a/b.txt' }))
    expect(body.data).toMatchObject({ path: 'a/b.txt', content: 'hello' })
    expect(
      (await keeper.call('POST', '/tools/read', ask({ path: '../../etc/passwd' }))).body.error,
    ).toMatchObject({
      code: 'path_outside',
    })
  })

  it('takes a file of 50 MB', async () => {
    const content = 'x'.repeat(50 * 2 ** 20)
    const { status } = await keeper.call('POST', '/tools/write', ask({ path: 'large', content }))
    expect(status).toBe(200)
    expect(readFileSync(join(spec.root, 'large')).length).toBe(content.length)
  }, 60_000)

  it('refuses what is larger than 64 MB', async () => {
    const content = 'x'.repeat(65 * 2 ** 20)
    const { status } = await keeper.call('POST', '/tools/write', ask({ path: 'larger', content }))
    expect(status).toBe(413)
  }, 60_000)

  it('runs commands, whole and piece by piece', async () => {
    const { body } = await keeper.call(
      'POST',
      '/tools/command',
      ask({ command: 'echo out; echo err >&2; exit 3' }),
    )
    expect(body.data).toMatchObject({ stdout: 'out\n', stderr: 'err\n', exitCode: 3 })
    const pieces = await streamed(ask({ command: 'echo one; echo two', stream: true }))
    expect(pieces.at(-1)).toMatchObject({ type: 'result', result: { exitCode: 0 } })
    expect(pieces.flatMap((piece) => (piece.type === 'stdout' ? piece.text : [])).join('')).toBe('one\ntwo\n')
  })

  it.skipIf(driver !== 'folder')(
    'gives commands the variables of the workspace as they are now',
    async () => {
      for (const PORT of ['8010', '8020']) {
        const call = { ...ask({ command: 'echo $PORT; echo $LANG' }), workspace: { ...spec, env: { PORT } } }
        const { body } = await keeper.call('POST', '/tools/command', call)
        expect(body.data).toMatchObject({ stdout: `${PORT}\nC.UTF-8\n` })
      }
    },
  )

  it('gives up a call that takes too long', async () => {
    const { status, body } = await keeper.call('POST', '/tools/command', ask({ command: 'sleep 30' }, 300))
    expect([status, body.error.code]).toEqual([422, 'tool_timed_out'])
  })

  it('ends a command whose reader hangs up, with all that came of it', async () => {
    const command = 'echo begun; trap "" HUP; (sleep 1; touch lived) & sleep 1000; wait'
    const call = request({ socketPath: keeper.socket, method: 'POST', path: '/tools/command/stream' })
    call.on('error', () => undefined)
    call.end(JSON.stringify(ask({ command: `touch ran; ${command}`, stream: true, timeout: 60_000 }, 60_000)))
    await new Promise((resolve) => call.once('response', (response) => response.once('data', resolve)))
    call.destroy()
    await expect
      .poll(
        async () =>
          (
            await keeper.call(
              'POST',
              '/tools/command',
              ask({ command: 'ps -e -o args 2>/dev/null || cat /proc/[0-9]*/cmdline | tr "\\0" " "' }),
            )
          ).body.data.stdout,
        {
          timeout: 20_000,
        },
      )
      .not.toContain('sleep 1000')
  })

  it('has an app that is kept alive, and a way to its port and to no other', async () => {
    const started = await keeper.call('POST', '/app', ask({ action: 'start' }))
    expect(started.status).toBe(200)
    await expect
      .poll(async () => (await keeper.call('POST', '/workspace', ask(undefined))).body.app.state, {
        timeout: 20_000,
      })
      .toBe('running')
    const port = spec.app?.port ?? 0
    // It runs before it listens.
    await expect
      .poll(() => tunnel(port).then(text, () => 'nothing yet'), { timeout: 20_000 })
      .toBe('from the app')
    await expect(tunnel(22)).rejects.toThrow(/502.*port_not_allowed/)
    await keeper.call('POST', '/app', ask({ action: 'stop' }))
    await expect(tunnel(port)).rejects.toThrow(/502.*port_silent/)
  })

  it('is at rest again after somebody wanted a port that neither takes nor refuses', async () => {
    const cwd = driver === 'folder' ? spec.root : '/workspace'
    const node = driver === 'folder' ? process.execPath : 'node'
    copyFileSync(join(import.meta.dirname, '../../test/support/full-port.cjs'), join(spec.root, 'full.cjs'))
    await keeper.call('POST', '/app', ask({ action: 'stop' }))
    const port = spec.app?.port ?? 0
    const script = `${node} full.cjs ${port} stop > full`
    const running = keeper.run('/bin/sh', ['-c', script], { workspace: spec, cwd })
    const full = join(spec.root, 'full')
    await expect
      .poll(() => existsSync(full) && readFileSync(full, 'utf8'), { timeout: 20_000 })
      .toBe(`${port}\n`)
    await expect(tunnel(port)).rejects.toThrow(/502.*port_silent/)
    writeFileSync(join(spec.root, 'stop'), '')
    expect((await running).end.exitCode).toBe(0)
    // It is used now, whenever that is asked, for as long as anything is in there.
    let usedAt = 0
    const isAtRest = async () => usedAt === (usedAt = (await keeper.call('GET', '/')).body.usedAt)
    await expect.poll(isAtRest, { timeout: 20_000, interval: 100 }).toBe(true)
  }, 60_000)

  it('counts as used by what is done with it, and not by looking', async () => {
    const usedAt = async () => (await keeper.call('GET', '/')).body.usedAt
    await keeper.call('POST', '/tools/list', ask({ path: '.' }))
    const before = await usedAt()
    await keeper.call('POST', '/workspace', ask(undefined))
    expect(await usedAt()).toBe(before)
    await keeper.call('POST', '/tools/list', ask({ path: '.' }))
    expect(await usedAt()).toBeGreaterThan(before)
  })

  it('can be run in by an execution', async () => {
    writeFileSync(join(spec.root, 'seen'), 'seen')
    const cwd = driver === 'folder' ? spec.root : '/workspace'
    const { end, output } = await keeper.run('/bin/cat', ['seen'], { workspace: spec, cwd })
    expect([output('stdout').toString(), end.exitCode]).toEqual(['seen', 0])
  })

  it('lets a program run on, whoever looks and works in it after another agent has come or its app was changed', async () => {
    const cwd = driver === 'folder' ? spec.root : '/workspace'
    const script = 'echo begun > begun; until [ -e end ]; do sleep 0.05; done; echo lived'
    const running = keeper.run('/bin/sh', ['-c', script], { workspace: spec, cwd })
    await expect.poll(() => existsSync(join(spec.root, 'begun')), { timeout: 20_000 }).toBe(true)
    const mounts = driver === 'folder' ? {} : { mounts: [base] }
    const changed = { workspace: { ...spec, ...mounts, app: { command: 'true', port: 8042 } } }
    const health = await keeper.call('POST', '/workspace', { ...ask(undefined), ...changed })
    expect([health.status, health.body.status]).toEqual([200, 'ok'])
    const called = await keeper.call('POST', '/tools/write', {
      ...ask({ path: 'end', content: '' }),
      ...changed,
    })
    expect([called.status, called.body.error]).toEqual([200, undefined])
    const { end, output } = await running
    expect([output('stdout').toString(), end.exitCode]).toEqual(['lived\n', 0])
  }, 60_000)

  it('can be had by a person, on a terminal inside its walls, until that is given back', async () => {
    const cwd = driver === 'folder' ? spec.root : '/workspace'
    const sessionId = newId()
    const script =
      'tty > said; stty size >> said; grep -E "^(Seccomp|CapBnd):" /proc/self/status >> said; echo done >> said; read line; exec sleep 1000'
    const taken = await keeper.call('POST', `/sessions/${sessionId}/take-over`, {
      workspace: spec,
      program: '/bin/sh',
      argv: ['-c', script],
      env: { PATH: '/usr/bin:/bin', TERM: 'screen' },
      cwd,
      notAfter: Date.now() + 60_000,
    })
    expect([taken.status, taken.body.error]).toEqual([200, undefined])
    const said = () => readFileSync(join(spec.root, 'said'), 'utf8')
    await expect
      .poll(() => existsSync(join(spec.root, 'said')) && said(), { timeout: 20_000 })
      .toContain('done')
    expect(said()).toMatch(/^\/dev\/.*\n48 160\n/)
    const isWalled = /CapBnd:\s0{16}\nSeccomp:\s2/.test(said())
    expect(isWalled || driver === 'folder').toBe(true)
    const identity = identify(taken.body.pid)
    expect(identity).toBeDefined()
    const back = await keeper.call('POST', `/sessions/${sessionId}/hand-back`, {})
    expect(back.status).toBe(200)
    expect(identity && isAlive(identity)).toBe(false)
  }, 60_000)

  async function streamed(body: object): Promise<{ type: string; text?: string }[]> {
    const response = await new Promise<NodeJS.ReadableStream>((resolve) =>
      request({ socketPath: keeper.socket, method: 'POST', path: '/tools/command/stream' }, resolve).end(
        JSON.stringify(body),
      ),
    )
    return (await text(response))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  }

  function tunnel(port: number): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      request({
        socketPath: keeper.socket,
        path: `/ports/${port}`,
        headers: { connection: 'upgrade', upgrade: portUpgrade },
      })
        .once('upgrade', (_, socket, head) => {
          if (head.length > 0) socket.unshift(head)
          resolve(socket)
        })
        .once('response', (response) => {
          void text(response).then((said) => reject(new Error(`${response.statusCode} ${said}`)))
        })
        .once('error', reject)
        .end()
    })
  }
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
