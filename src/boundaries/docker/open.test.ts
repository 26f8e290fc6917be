import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countOf, openYard, runInside } from '../../../test/support/container.ts'
import type { Yard } from '../../../test/support/container.ts'
import { noEngine } from '../../../test/support/docker.ts'
import { importImage } from '../../../test/support/workspace-image.ts'
import { MARK } from '#contract/keeper-protocol.ts'
import type { CommandAnswer } from '#contract/workspace-tool.ts'
import { onPath } from '#lib/on-path.ts'
import { NotStarted } from '#lib/program.ts'
import { findContainers, removeContainer } from './orphans.ts'

const docker = onPath('docker', process.env['PATH'] ?? '')
const gone = { timeout: 20_000, interval: 50 }

describe.skipIf(noEngine)('a workspace in a container', { timeout: 60_000 }, () => {
  let yard: Yard
  beforeAll(async () => {
    yard = await openYard()
  }, 120_000)
  afterAll(() => yard?.close())

  const containers = () => findContainers(yard.home)
  const ofWorkspace = async (id: string) =>
    (await containers()).filter(({ workspaceId }) => workspaceId === id)
  const one = async (id: string) => (await ofWorkspace(id))[0]?.name ?? ''

  it('runs programs in its files as nobody, and leaves nothing when it is closed', async () => {
    const spec = yard.spec()
    writeFileSync(join(spec.root, 'hello.txt'), 'hello')
    const boundary = await yard.open(spec)
    expect(boundary.isolation).toBe('container')
    const ran = await runInside(
      boundary,
      'cat hello.txt; id -u; echo made > new.txt; echo home > ~/kept; exit 7',
    )
    expect(ran).toMatchObject({ stdout: 'hello10001\n', stderr: '', exitCode: 7 })
    expect(readFileSync(join(spec.root, 'new.txt'), 'utf8')).toBe('made\n')
    expect(readFileSync(join(spec.homes, 'kept'), 'utf8')).toBe('home\n')
    expect(await ofWorkspace(spec.id)).toMatchObject([{ workspaceId: spec.id, isRunning: true }])
    expect(await boundary.close(0)).toBe(true)
    expect(await ofWorkspace(spec.id)).toEqual([])
  })

  it('keeps outputs that are longer than its memory for files, which stays free', async () => {
    const spec = yard.spec()
    const left = join(spec.homes, '.signalbox')
    const boundary = await yard.open(spec)
    const run = async (command: string) =>
      (await boundary.call('command', { command }, new AbortController().signal)) as CommandAnswer
    for (let index = 0; index < 2; index += 1)
      expect((await run('head -c 50000000 /dev/zero')).stdoutRest).toMatchObject({
        bytes: 50_000_000,
        isWhole: true,
      })
    expect(await run('head -c 40000000 /dev/zero > /tmp/mine')).toMatchObject({ exitCode: 0 })
    expect(statSync(left).mode & 0o777).toBe(0o700)
    // As one that was killed leaves it.
    await yard.asker.ask('POST', `/containers/${await one(spec.id)}/kill?signal=KILL`)
    await boundary.gone
    const [killed = ''] = readdirSync(left)
    expect(readdirSync(join(left, killed))).toHaveLength(2)
    const again = await yard.open(spec)
    expect(readdirSync(left)).not.toContain(killed)
    expect(await again.close(0)).toBe(true)
    expect(existsSync(left)).toBe(false)
  })

  it('ends all that a program has started, also what hides', async () => {
    const boundary = await yard.open()
    const script = 'setsid sh -c "trap : TERM; while :; do sleep 1; done" & echo ready; wait'
    const env = { PATH: '/usr/bin:/bin' }
    const running = await boundary.start(
      { file: '/bin/sh', argv: ['-c', script], env, cwd: '/workspace' },
      'one',
    )
    await new Promise((resolve) => running.stdout.once('data', resolve))
    expect((await runInside(boundary, countOf('[t]rap : TERM'))).stdout).not.toBe('0\n')
    expect(await running.end(100)).toBe(true)
    expect((await runInside(boundary, countOf('[t]rap : TERM'))).stdout).toBe('0\n')
  })

  it('says that an image is not there, and fetches none', async () => {
    const spec = yard.spec({ image: 'registry.invalid/nobody/nothing:1' })
    const refused = await yard.open(spec).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(NotStarted)
    expect(String(refused)).toContain('docker pull registry.invalid/nobody/nothing:1')
  })

  it('says that an image has no Node, or one that is too old', async () => {
    const bare = yard.spec({ image: yard.engine.withoutNode })
    await expect(yard.open(bare)).rejects.toThrow(/without-node has no Node\. Name one that has/)
    expect(await ofWorkspace(bare.id)).toEqual([])

    // What Node 18 does with a file that it cannot read.
    const old = join(yard.folder, 'old-node')
    writeFileSync(old, '#!/bin/sh\nprintf "SyntaxError: x\\n\\nNode.js v18.20.4\\n" >&2; exit 1\n')
    chmodSync(old, 0o755)
    const image = 'signalbox-test:old-node'
    await importImage(yard.engine.address.replace('unix://', ''), image, { node: old })
    const spec = yard.spec({ image })
    await expect(yard.open(spec)).rejects.toThrow(/has Node 18\.20\.4, and 20 is the oldest/)
    expect(await ofWorkspace(spec.id)).toEqual([])
  })

  it('tells when its container is killed or removed, and answers what was under way', async () => {
    for (const [method, path] of [
      ['POST', '/kill?signal=KILL'],
      ['DELETE', '?force=1'],
    ] as const) {
      const spec = yard.spec()
      const boundary = await yard.open(spec)
      const running = runInside(boundary, 'echo begun > begun; sleep 600')
      await expect.poll(() => readFileSync(join(spec.root, 'begun'), 'utf8'), gone).toBe('begun\n')
      await yard.asker.ask(method, `/containers/${await one(spec.id)}${path}`)
      expect(await boundary.gone).toMatch(/its container (was|is|has)/)
      expect(await running).toMatchObject({ signal: 'SIGKILL' })
      await expect(runInside(boundary, 'true')).rejects.toThrow(NotStarted)
      const again = await yard.open(spec)
      expect((await runInside(again, 'cat begun')).stdout).toBe('begun\n')
      await again.close(0)
    }
  })

  it('is gone with its keeper, whoever kills that', async () => {
    const spec = yard.spec()
    const script = join(import.meta.dirname, '../../../test/support/hold-container.ts')
    const keeper = spawn(process.execPath, [script, yard.folder, yard.home, JSON.stringify(spec)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await new Promise<string[]>((resolve) => {
      createInterface(keeper.stdout).once('line', (said) => resolve([said]))
    })
    expect(line).toBe('open')
    expect(await ofWorkspace(spec.id)).toHaveLength(1)
    keeper.kill('SIGKILL')
    await expect.poll(() => ofWorkspace(spec.id), gone).toEqual([])
  })

  it.skipIf(!docker)(
    'lets a program on a terminal in, without telling its secrets, and ends it',
    async () => {
      const boundary = await yard.open()
      const env = { PATH: '/usr/bin:/bin', SECRET: 'of nobody else' }
      const script = 'tty; echo "$SECRET"; id -u; exec sleep 600'
      const program = { file: '/bin/sh', argv: ['-c', script], env, cwd: '/workspace' }
      const entry = await boundary.enter(program, 'on a terminal')
      expect(entry.words.join(' ')).not.toContain(env.SECRET)
      const quoted = entry.words.map((word) => `'${word}'`).join(' ')
      const child = spawn('script', ['-qfec', quoted, '/dev/null'], {
        env: { ...process.env, ...env, PATH: process.env['PATH'], [MARK]: 'on a terminal', TERM: 'xterm' },
        // Open until the end, as a terminal is: at the end of its input `script` types ^D, which may reach docker before all is there.
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      let said = ''
      child.stdout.setEncoding('utf8').on('data', (piece: string) => (said += piece.replaceAll('\r', '')))
      const exited = new Promise((resolve) => child.once('exit', resolve))
      await expect.poll(() => said, gone).toContain('/dev/pts/0\nof nobody else\n10001\n')
      const { end } = await entry.begun(child.pid ?? 0, exited)
      expect(await end(0)).toBe(true)
      await exited
      expect((await runInside(boundary, countOf('[s]leep 600'))).stdout).toBe('0\n')
      await boundary.close(0)
    },
  )

  it('finds what is left over by its labels, and removes only that', async () => {
    const spec = yard.spec()
    const boundary = await yard.open(spec)
    const other = await yard.open()
    expect(await findContainers('another home')).toEqual([])
    const [found] = await ofWorkspace(spec.id)
    await removeContainer(found?.id ?? '')
    await removeContainer(found?.id ?? '')
    await boundary.gone
    expect((await runInside(other, 'echo unharmed')).stdout).toBe('unharmed\n')
    await other.close(0)
  })
})
