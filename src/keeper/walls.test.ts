import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Boundary } from '#boundaries/port.ts'
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

beforeEach(() => {
  told = []
  fallDown = []
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
      connect: () => Promise.resolve(new PassThrough()),
      health: () => Promise.reject(new Error('not asked')),
      app: () => Promise.reject(new Error('not asked')),
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
    await call()
    expect(told).toEqual(['open /usr/bin/one', 'close /usr/bin/one', 'open /usr/bin/two'])
  })

  it('are not changed under somebody', async () => {
    await walls.start(program, 'a')
    walls.use({ ...spec, mounts: ['/usr/bin/two'] })
    await expect(walls.start(program, 'b')).rejects.toThrow(/others are at work/)
    await expect(call()).rejects.toMatchObject({ code: 'workspace_not_running' })
    endProgram()
    await new Promise(setImmediate)
    await walls.start(program, 'b')
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
    expect(walls.usedAt).toBeGreaterThan(0)
  })

  it('have a way to the ports that were named and the usual ones, and to no other', async () => {
    await Promise.all([3000, 8000, 8100].map((port) => walls.connect(port)))
    for (const port of [22, 3001, 7999, 8101])
      await expect(walls.connect(port)).rejects.toMatchObject({ code: 'port_not_allowed' })
  })
})
