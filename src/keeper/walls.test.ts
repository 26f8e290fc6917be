import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Boundary } from '#boundaries/port.ts'
import type { HostHealth } from '#contract/host.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import type { EnclosedProgram } from '#lib/program.ts'
import { Walls } from './walls.ts'

// What is behind the port stands still here: these tests are about when walls are put up and taken down.

const spec: EnclosedSpec = {
  id: '01890000-0000-7000-8000-000000000000',
  driver: 'sandbox',
  root: '/somewhere',
  homes: '/homes',
  image: null,
  egress: 'none',
  modelHosts: [],
  forwards: [],
  mounts: ['/usr/bin/one'],
  limits: { memoryMb: 512, cpus: 1, pids: 128 },
  app: null,
  ports: [3000],
  commandRules: [],
}
const program = { file: '/bin/true', argv: [], env: {}, cwd: '/' }

let told: string[]
let walls: Walls
let fallDown: ((reason: string) => void)[]
let endProgram: () => void
/** What is connected next. */
let connections: PassThrough[]

beforeEach(() => {
  told = []
  fallDown = []
  connections = []
  const open = async (workspace: EnclosedSpec): Promise<Boundary> => {
    const name = workspace.mounts.join('+')
    told.push(`open ${name}`)
    await new Promise(setImmediate)
    const gone = Promise.withResolvers<string>()
    fallDown.push(gone.resolve)
    return {
      isolation: 'sandbox',
      gone: gone.promise,
      start: () => Promise.resolve(running()),
      enter: () => Promise.reject(new Error('nobody')),
      call: () => Promise.resolve({}),
      stream: async function* () {},
      connect: () => Promise.resolve(connections.pop() ?? new PassThrough()),
      health: () => Promise.resolve(healthOf(workspace)),
      app: () => Promise.resolve(healthOf(workspace).app),
      close: () => Promise.resolve(told.push(`close ${name}`) > 0),
    }
  }
  walls = new Walls({
    none: {
      isolation: 'process-group',
      start: () => Promise.reject(new Error('no')),
      enter: () => Promise.reject(new Error('no')),
    },
    openFolder: () => Promise.reject(new Error('no folder')),
    open: { sandbox: () => Promise.resolve(open), docker: () => Promise.resolve(open) },
    log: () => undefined,
  })
  walls.use(spec)
})

function running(): EnclosedProgram {
  const exited = Promise.withResolvers<{ exitCode: number; signal: null }>()
  endProgram = () => exited.resolve({ exitCode: 0, signal: null })
  const stream = () => new PassThrough()
  return {
    pid: 1,
    stdin: null,
    stdout: stream(),
    stderr: stream(),
    exited: exited.promise,
    end: () => Promise.resolve(true),
  }
}

const healthOf = ({ app }: EnclosedSpec): HostHealth => ({
  status: 'ok',
  protocol: 1,
  pid: 1,
  uptimeMs: 1,
  node: 'v1',
  programs: 0,
  app: {
    state: 'running',
    command: app?.command ?? null,
    port: app?.port ?? null,
    pid: 1,
    restarts: 0,
    said: '',
  },
})

const call = () => walls.call('read', {}, new AbortController().signal)

describe('walls', () => {
  it('are put up once, however many come at the same time', async () => {
    await Promise.all([call(), call(), walls.start(program, 'a')])
    expect(told).toEqual(['open /usr/bin/one'])
  })

  it('stay for what they can hold, and are put up anew for what they cannot', async () => {
    await call()
    walls.use({ ...spec, mounts: [], egress: 'open', ports: [] })
    await call()
    expect(told).toEqual(['open /usr/bin/one'])
    walls.use({ ...spec, mounts: ['/usr/bin/two'] })
    await walls.start(program, 'a')
    expect(told).toEqual(['open /usr/bin/one', 'close /usr/bin/one', 'open /usr/bin/two'])
  })

  it('are not changed under somebody', async () => {
    await walls.start(program, 'a')
    walls.use({ ...spec, mounts: ['/usr/bin/two'] })
    await expect(walls.start(program, 'b')).rejects.toThrow(/others are at work/)
    walls.use({ ...spec, mounts: ['/usr/bin/two'], limits: { ...spec.limits, pids: 64 } })
    await expect(call()).rejects.toMatchObject({ code: 'workspace_not_running' })
    await expect(walls.app('start')).rejects.toMatchObject({ code: 'workspace_not_running' })
    expect(told).toEqual(['open /usr/bin/one'])
    endProgram()
    await new Promise(setImmediate)
    await walls.start(program, 'b')
    expect(told).toEqual(['open /usr/bin/one', 'close /usr/bin/one', 'open /usr/bin/two'])
  })

  it('hold a program, whoever looks, calls a tool or connects when another agent has come or the app is another', async () => {
    const changes = [
      { mounts: ['/usr/bin/two'] },
      { app: { command: 'serve', port: 3000 } },
      { limits: { ...spec.limits, memoryMb: 1024 } },
    ]
    const asked = { command: 'true', timeout: 1_000, stream: true }
    await walls.start(program, 'a')
    for (const change of changes) {
      walls.use({ ...spec, ...change })
      await walls.health()
      await walls.connect(3000)
      await walls.app('stop')
    }
    for (const change of changes.slice(0, 2)) {
      walls.use({ ...spec, ...change })
      await call()
      for await (const _ of walls.stream(asked, new AbortController().signal));
    }
    expect(told).toEqual(['open /usr/bin/one'])
  })

  it('are not taken down by looking, and put up by it only where none are', async () => {
    await walls.health()
    walls.use({ ...spec, mounts: ['/usr/bin/two'], limits: { ...spec.limits, pids: 64 } })
    await walls.health()
    expect(told).toEqual(['open /usr/bin/one'])
  })

  it('keep the app that they have until nobody is at work in them any more', async () => {
    walls.use({ ...spec, app: { command: 'old', port: 3000 } })
    await walls.start(program, 'a')
    const endFirst = endProgram
    walls.use({ ...spec, app: { command: 'new', port: 3000 } })
    await walls.start(program, 'b')
    expect((await walls.health()).app.command).toBe('old')
    for (const action of ['start', 'restart'] as const)
      await expect(walls.app(action)).rejects.toThrow(/app that was there goes on; start the new one when/)
    endFirst()
    endProgram()
    await new Promise(setImmediate)
    expect((await walls.app('start')).command).toBe('new')
    expect(told).toEqual(['open /usr/bin/one', 'close /usr/bin/one', 'open /usr/bin/one'])
  })

  it('are put up anew for several who come at once, while nobody is at work in them', async () => {
    await call()
    walls.use({ ...spec, mounts: ['/usr/bin/two'] })
    await Promise.all([walls.start(program, 'a'), walls.start(program, 'b'), call()])
    expect(told).toEqual(['open /usr/bin/one', 'close /usr/bin/one', 'open /usr/bin/two'])
  })

  it('are put up again when they have come down', async () => {
    await call()
    fallDown[0]?.('the test')
    await new Promise(setImmediate)
    expect(walls.isOpen).toBe(false)
    await call()
    expect(told).toEqual(['open /usr/bin/one', 'open /usr/bin/one'])
  })

  it('are in use while something runs in them or is connected to them', async () => {
    expect([walls.isBusy, walls.usedAt]).toEqual([false, null])
    await walls.start(program, 'a')
    expect(walls.isBusy).toBe(true)
    endProgram()
    await new Promise(setImmediate)
    expect(walls.isBusy).toBe(false)
    const connection = await walls.connect(3000)
    expect(walls.isBusy).toBe(true)
    connection.destroy()
    await new Promise(setImmediate)
    expect(walls.isBusy).toBe(false)
    connections.push(new PassThrough().destroy())
    await new Promise(setImmediate)
    await walls.connect(3000)
    expect(walls.isBusy).toBe(false)
    expect(walls.usedAt).toBeGreaterThan(0)
  })

  it('have a way to the ports that were named and the usual ones, and to no other', async () => {
    await Promise.all([3000, 8000, 8100].map((port) => walls.connect(port)))
    for (const port of [22, 3001, 7999, 8101])
      await expect(walls.connect(port)).rejects.toMatchObject({ code: 'port_not_allowed' })
  })
})
