import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startKeeper } from '../../test/support/keeper.ts'
import type { TestKeeper } from '../../test/support/keeper.ts'
import type { Launch } from '#contract/keeper.ts'
import { MARK } from '#contract/keeper-protocol.ts'
import { newId } from '#lib/id.ts'
import { endMarked, findMarked } from '#lib/marked-processes.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import { findProcesses } from '#lib/process-list.ts'
import { statOf } from '#lib/process-stat.ts'

const modes = ['pid-namespace', 'process-group'] as const
/** Without its tools, there are no pid namespaces. */
const startIn = (mode: string) => startKeeper({ env: mode === 'process-group' ? { PATH: '/nowhere' } : {} })
const view = ['--dev-bind', '/', '/', '--proc', '/proc']
const hasNamespaces =
  spawnSync('bwrap', [...view, '--unshare-pid', '--', 'nsenter', '--version']).status === 0

const marked = (id: string) => findMarked(MARK, [id])
const parentOf = (pid: number) =>
  Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
/** A number of seconds that nobody else sleeps, so that the sleeper can be found. */
let naps = 0
const nap = () => `6${process.pid}.${(naps += 1)}`
const sleepers = (seconds: string) => findProcesses(`sleep ${seconds}`)

describe.each(modes)('in a %s', (mode) => {
  describe.skipIf(mode === 'pid-namespace' && !hasNamespaces)('a program', () => {
    let keeper: TestKeeper
    const cancel = (id: string) =>
      keeper.call('POST', `/executions/${id}/commands`, {
        epoch: 1,
        id: newId(),
        type: 'cancel',
        payload: null,
      })
    const ended = async (id: string) => {
      expect((await keeper.progress(id)).at(-1)?.state).toBe('ended')
      return keeper.records(id).at(-1)!.payload
    }
    const outputOf = (id: string) =>
      keeper
        .records(id)
        .flatMap((record) =>
          record.type === 'data-terminal' ? [Buffer.from(record.payload.chunk, 'base64').toString()] : [],
        )
        .join('')
    const says = async (id: string, text: string) => {
      const heard = () => existsSync(join(keeper.folder, `${id}.ndjson`)) && outputOf(id)
      await expect.poll(heard).toContain(text)
    }

    beforeAll(async () => {
      keeper = await startIn(mode)
    })
    afterAll(() => keeper.stop())

    it('is kept together as it is said', async () => {
      expect((await keeper.call('GET', '/')).body.isolation).toBe(mode)
    })

    it.each([
      ['exit 139', { exitCode: 139, signal: null }],
      ['kill -SEGV $$', { exitCode: null, signal: 'SIGSEGV' }],
      ['kill -KILL $$', { exitCode: null, signal: 'SIGKILL' }],
      ['kill -INT $$', { exitCode: null, signal: 'SIGINT' }],
      ['exit 255', { exitCode: 255, signal: null }],
    ])('that ends with %s is told as it was', async (script, end) => {
      expect((await keeper.run('/bin/sh', ['-c', script])).end).toEqual({
        reason: 'exited',
        message: null,
        ...end,
      })
    })

    it('gets its words as they are, its environment exactly, its folder, and nothing to read', async () => {
      const words = ['$(id)', '`id`', '; id', '"', "'", '', ' ', '*', '--flag', 'a\nb', 'ü👍']
      const script =
        'process.stdout.write(JSON.stringify([process.argv.slice(1), process.env, process.cwd()]))'
      const env = { ONE: '1', TWO: 'a b' }
      const { id, output } = await keeper.run(process.execPath, ['-e', script, '--', ...words], {
        env,
        cwd: '/usr',
      })
      expect(JSON.parse(output('stdout').toString())).toEqual([words, { ...env, [MARK]: id }, '/usr'])
      expect((await keeper.run('/bin/cat')).end.exitCode).toBe(0)
    })

    it('has no terminal, and leads a session and a group of its own', async () => {
      const terminals =
        '(exec </dev/tty) 2>/dev/null && echo tty; for i in 0 1 2; do test -t $i && echo $i; done'
      const leader =
        'read pid name state parent group session rest </proc/$$/stat; echo $((group - $$)) $((session - $$))'
      const { output } = await keeper.run('/bin/sh', ['-c', `${terminals}; ${leader}`])
      expect(output('stdout').toString()).toBe('0 0\n')
    })

    it('is told with a pid that a person finds on this machine', async () => {
      const seconds = nap()
      const id = await keeper.launch('/bin/sh', ['-c', `exec sleep ${seconds}`])
      await expect.poll(() => sleepers(seconds)).toHaveLength(1)
      await expect
        .poll(async () => (await keeper.call('GET', '/')).body.executions.at(-1).pid)
        .toBe(sleepers(seconds)[0])
      await cancel(id)
      await ended(id)
    })

    it('that obeys SIGTERM may tidy up first', async () => {
      const id = await keeper.launch('/bin/sh', [
        '-c',
        'trap "echo tidy; exit 7" TERM; echo up; while :; do sleep 0.05; done',
      ])
      await says(id, 'up')
      expect((await cancel(id)).body).toEqual({ outcome: 'delivered' })
      expect(await ended(id)).toEqual({ reason: 'cancelled', exitCode: 7, signal: null, message: null })
      expect(outputOf(id)).toContain('tidy')
    })

    it('that ignores SIGTERM is killed 5 s later, with all its children', async () => {
      const seconds = nap()
      const script = `trap "" TERM; sleep ${seconds} & echo up; sleep ${seconds}; sleep ${seconds}`
      const id = await keeper.launch('/bin/sh', ['-c', script])
      await says(id, 'up')
      const asked = performance.now()
      await cancel(id)
      expect(await ended(id)).toMatchObject({ reason: 'cancelled', exitCode: null, signal: 'SIGKILL' })
      expect(performance.now() - asked).toBeGreaterThan(4_900)
      expect([marked(id), sleepers(seconds)]).toEqual([[], []])
    })

    it('that leaves detached grandchildren behind does not outlive itself in them', async () => {
      const seconds = nap()
      const script = `(setsid sleep ${seconds} &) ; (setsid sh -c 'trap "" TERM HUP; sleep ${seconds}' </dev/null &) ; sleep 0.1`
      const id = await keeper.launch('/bin/sh', ['-c', script])
      await expect.poll(() => sleepers(seconds)).toHaveLength(2)
      expect(await ended(id)).toMatchObject({ reason: 'exited', exitCode: 0 })
      expect([marked(id), sleepers(seconds)]).toEqual([[], []])
    })

    it('that hops from one process to the next is caught', async () => {
      const id = await keeper.launch(join(import.meta.dirname, 'fixtures/hop.sh'), [keeper.folder])
      await expect
        .poll(() => existsSync(join(keeper.folder, `${id}.ndjson`)) && keeper.records(id).length)
        .toBeGreaterThan(0)
      expect(await ended(id)).toMatchObject({ reason: 'exited' })
      expect(marked(id)).toEqual([])
    })

    it('that closes its output early is still waited for', async () => {
      const { end, output } = await keeper.run('/bin/sh', [
        '-c',
        'exec >&-; sleep 0.3; echo late >&2; exit 4',
      ])
      expect(end).toMatchObject({ reason: 'exited', exitCode: 4 })
      expect(output('stderr').toString()).toBe('late\n')
    })

    it('that takes too long is ended, and it is said why', async () => {
      const { end, output } = await keeper.run('/bin/sh', ['-c', 'echo begun; exec sleep 600'], {
        timeoutMs: 300,
      })
      expect(end).toMatchObject({ reason: 'timed_out', message: 'Timed out after 0.3 s', signal: 'SIGTERM' })
      expect(output('system').toString()).toBe('Timed out after 0.3 s: asked to end\n')
      expect(output('stdout').toString()).toBe('begun\n')
    })

    it('with more time than a timer can count is not ended at once', async () => {
      const { end } = await keeper.run('/bin/sh', ['-c', 'sleep 0.1'], { timeoutMs: 2 ** 40 })
      expect(end.reason).toBe('exited')
    })

    it('goes on after it was stopped for a while, and its end is seen', async () => {
      const id = await keeper.launch('/bin/sh', ['-c', 'echo up; sleep 0.2; exit 5'])
      await says(id, 'up')
      const { pid } = (await keeper.call('GET', '/')).body.executions.at(-1)
      process.kill(pid, 'SIGSTOP')
      // In a namespace it is nsenter that waits for it, and that stops itself too.
      await expect.poll(() => statOf(pid)?.state).toBe('T')
      const waiting = mode === 'pid-namespace' ? parentOf(pid) : pid
      await expect.poll(() => statOf(waiting)?.state).toBe('T')
      process.kill(pid, 'SIGCONT')
      expect(await ended(id)).toMatchObject({ reason: 'exited', exitCode: 5 })
    })

    it.each([
      ['is not there', { program: '/nowhere/at-all' }, 'is not there'],
      ['may not be run', { program: '/etc/passwd' }, 'is not a file that may be run'],
      ['is a folder', { program: '/usr' }, 'is not a file that may be run'],
      [
        'has a folder that is gone',
        { program: '/bin/true', cwd: '/nowhere' },
        'The working directory /nowhere is gone',
      ],
      [
        'has too many words',
        { program: '/bin/true', argv: Array.from({ length: 300 }, () => 'x'.repeat(100_000)) },
        'E2BIG',
      ],
    ])('that %s is not started, and it is said why', async (_, more: Partial<Launch>, message) => {
      const { end, records } = await keeper.run('', [], more)
      expect(end).toMatchObject({ reason: 'not_started', exitCode: null, signal: null })
      expect(end.message).toContain(message)
      expect(records).toHaveLength(1)
    })
  })

  it.skipIf(mode === 'pid-namespace' && !hasNamespaces)(
    'leaves nothing that cannot be found when it is killed',
    async () => {
      const keeper = await startIn(mode)
      const seconds = nap()
      const id = await keeper.launch('/bin/sh', ['-c', `(setsid sleep ${seconds} &); sleep ${seconds}`])
      await expect.poll(() => sleepers(seconds)).toHaveLength(2)
      keeper.process.kill('SIGKILL')
      await keeper.exited
      if (mode === 'process-group') await endMarked(MARK, [id], { graceMs: 0 })
      await expect.poll(() => [marked(id), sleepers(seconds)]).toEqual([[], []])
      await keeper.stop()
    },
  )
})

describe.skipIf(!hasNamespaces)('in a pid-namespace', () => {
  it('also those die that left their group and their mark', async () => {
    const keeper = await startIn('pid-namespace')
    const seconds = nap()
    const id = await keeper.launch('/bin/sh', ['-c', `env -i setsid sleep ${seconds} & sleep 0.1`])
    await expect.poll(() => sleepers(seconds)).toHaveLength(1)
    await keeper.progress(id)
    expect(sleepers(seconds)).toEqual([])
    await keeper.stop()
  })
})

it('ends also when a process that it cannot find holds the output open', async () => {
  const keeper = await startIn('process-group')
  const seconds = nap()
  const { end } = await keeper.run('/bin/sh', ['-c', `env -i setsid sleep ${seconds} & sleep 0.1; exit 2`])
  expect(end).toMatchObject({ reason: 'exited', exitCode: 2 })
  const [pid = 0] = sleepers(seconds)
  const identity = identify(pid)!
  expect(isAlive(identity)).toBe(true)
  process.kill(pid, 'SIGKILL')
  await keeper.stop()
})
