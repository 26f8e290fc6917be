import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, rmdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { MARK } from '#contract/keeper-protocol.ts'
import { findPostmaster } from '#db/embedded/postmaster.ts'
import { findMarked } from '#lib/marked-processes.ts'
import { isGoneWithin } from '#lib/process-end.ts'
import { identify } from '#lib/process-identity.ts'
import { prepareRuntimeFolder } from '#lib/runtime-folder.ts'
import { readRecord } from '../../src/main/up/record.ts'
import {
  logOf,
  registerScript,
  runScript,
  startExecution,
  untilEnded,
  untilExecution,
} from '../support/commands.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

let box: Signalbox
beforeAll(async () => {
  box = await startSignalbox({ env: { LANG: 'C.UTF-8', LEAKY: 'secret', WANTED: 'yes', HOME: '/root' } })
})
afterAll(async () => void (await box.stop()))

const isSpeaking = ({ status, logBytes }: { status: string; logBytes: number }) =>
  status === 'running' && logBytes > 0
const strays = (id: string) => [...findMarked(MARK, [id])]
const run = async (script: string, capability: object = {}) => {
  const execution = await runScript(box, script, { capability })
  return { ...execution, log: await logOf(box, execution.id) }
}
const oneArgument = {
  argsSchema: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
}

describe('an execution', () => {
  test('runs, is told of in its task, and leaves the task in progress', async () => {
    const { body: task } = await box.call('POST', '/tasks', { title: 'Say hello' })
    const capabilityId = await registerScript(box, 'echo "$1"', {
      capability: { commandTokens: ['sh', '-c', 'echo "$1"', 'sh', '{{task_title}}'] },
    })
    const { id } = await startExecution(box, capabilityId, { taskId: task.data.id })
    const ended = await untilEnded(box, id)
    expect(ended).toMatchObject({ status: 'succeeded', exitCode: 0, error: null, logLines: 1, logBytes: 10 })
    expect(await logOf(box, id)).toBe('Say hello\n')
    expect((await box.call('GET', `/tasks/${task.data.id}`)).body.data.status).toBe('in_progress')
    const { body: history } = await box.call('GET', `/tasks/${task.data.id}/events`)
    const types = history.data.map(({ type }: { type: string }) => type)
    expect(types).toEqual([
      'created',
      'execution_queued',
      'moved',
      'execution_started',
      'execution_completed',
    ])
  })

  test('sees only the environment it is allowed to see, and no terminal', async () => {
    const { body } = await box.call('POST', '/agents', {
      name: 'env',
      binaryPath: '/usr/bin/env',
      workingDir: box.work,
      envAllowlist: ['WANTED', 'ABSENT'],
    })
    const { body: made } = await box.call('POST', `/agents/${body.data.id}/capabilities`, {
      key: 'show',
      interactionMode: 'template',
      commandTokens: ['env'],
    })
    const { id } = await startExecution(box, made.data.id)
    await untilEnded(box, id)
    const names = (await logOf(box, id))
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0])
    expect(names.toSorted()).toEqual(['HOME', 'LANG', 'PATH', MARK, 'WANTED'].toSorted())
    const terminal = await run('test -t 0 || echo no stdin; (: </dev/tty) 2>&1 || echo no tty; cat; echo end')
    expect(terminal.log).toMatch(/^no stdin\n[^]*no tty\nend\n$/)
  })

  test('finds nothing of ours where a namespace holds it', async () => {
    const { body } = await box.call('GET', '/workers/status')
    const [{ report }] = body.data
    expect(report.isolation).toBe('pid-namespace')
    const { log } = await run(
      `ls -A ${box.home} ${prepareRuntimeFolder(box.home)}; cat ${box.home}/token 2>/dev/null || echo none`,
    )
    expect(log).toMatch(/none\n$/)
    expect(log).not.toContain('keepers')
    expect(log).not.toContain('.sock')
  })

  test('keeps a value one argument, whatever is in it', async () => {
    const capabilityId = await registerScript(box, '', {
      capability: {
        commandTokens: ['sh', '-c', 'printf "<%s>" "$@"', 'sh', '{{what}}', 'last'],
        ...oneArgument,
      },
    })
    for (const what of [
      'two words',
      'line\nbreak',
      '$(id); `id` | cat > /dev/null && "',
      "it's",
      '../../etc',
      '',
    ]) {
      const { id } = await startExecution(box, capabilityId, { args: { what } })
      await untilEnded(box, id)
      expect(await logOf(box, id)).toBe(`<${what}><last>`)
    }
  })

  test.each([
    ['an option', { what: '--upload-pack=touch /tmp/x' }, 'begins with "-"'],
    ['NUL', { what: 'a\0b' }, 'NUL'],
    ['100 KB', { what: 'x'.repeat(102_400) }, 'at most 65536'],
    ['a list', { what: ['a'] }, 'must be string'],
    ['nothing', {}, 'what'],
    ['something else', { what: 'a', more: 'b' }, 'more'],
  ])('refuses %s as a value', async (_, args, says) => {
    const capabilityId = await registerScript(box, '', {
      capability: { commandTokens: ['sh', '-c', 'echo', '{{what}}'], ...oneArgument },
    })
    const { status, body } = await box.call('POST', '/executions', { capabilityId, args })
    expect({ status, message: body.error.message }).toEqual({
      status: 422,
      message: expect.stringContaining(says),
    })
  })
})

describe('where it may run, and what', () => {
  const register = (agent: object) =>
    box.call('POST', '/agents', { name: `place-${Math.random()}`, binaryPath: '/bin/sh', ...agent })

  test.each([
    ['outside the allowed folders', () => '/etc'],
    ['by ..', () => `${box.work}/../..`],
    ['by a link that leads out', () => (symlinkSync('/etc', join(box.work, 'out')), join(box.work, 'out'))],
  ])('a working folder %s is refused', async (_, folder) => {
    const { status, body } = await register({ workingDir: folder() })
    expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'working_dir_not_allowed' })
  })

  test('a program outside the permitted folders is refused, and one that cannot be run', async () => {
    const program = join(box.work, 'program')
    copyFileSync('/bin/echo', program)
    expect((await register({ binaryPath: program })).body.error.code).toBe('binary_not_allowed')
    expect((await register({ binaryPath: '/bin/absent' })).status).toBe(422)
    expect((await register({ binaryPath: '/usr/share/dict/words' })).status).toBeGreaterThanOrEqual(403)
  })

  test('a folder that was deleted while it was queued, or became a link, ends it with the reason', async () => {
    const worker = readRecord(box.home)!.children.find(({ name }) => name === 'worker')!
    const folders = ['gone', 'link'].map((name) => join(box.work, name))
    for (const folder of folders) mkdirSync(folder)
    const capabilities = await Promise.all(
      folders.map((workingDir) => registerScript(box, 'pwd', { agent: { workingDir } })),
    )
    process.kill(worker.pid, 'SIGSTOP')
    onTestFinished(() => void process.kill(worker.pid, 'SIGCONT'))
    const [gone, link] = await Promise.all(capabilities.map((id) => startExecution(box, id)))
    for (const folder of folders) rmdirSync(folder)
    symlinkSync('/etc', folders[1]!)
    process.kill(worker.pid, 'SIGCONT')
    expect(await untilEnded(box, gone!.id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('does not exist'),
      pid: null,
    })
    expect(await untilEnded(box, link!.id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('ALLOWED_WORKING_DIRS'),
      pid: null,
    })
  })
})

describe('a program that vanished', () => {
  test('ends the execution with the reason', async () => {
    const programs = join(box.home, '..', `programs-${process.pid}`)
    mkdirSync(programs)
    onTestFinished(() => rmSync(programs, { recursive: true }))
    const other = await startSignalbox({ env: { ALLOWED_BINARY_DIRS: `/usr/bin:${programs}` } })
    onTestFinished(async () => void (await other.stop()))
    const program = join(programs, 'tool')
    copyFileSync('/bin/echo', program)
    chmodSync(program, 0o755)
    const capabilityId = await registerScript(other, '', {
      agent: { binaryPath: program },
      capability: { commandTokens: ['hello'] },
    })
    expect((await untilEnded(other, (await startExecution(other, capabilityId)).id)).status).toBe('succeeded')
    rmSync(program)
    const { id } = await startExecution(other, capabilityId)
    expect(await untilEnded(other, id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(`${program} does not exist`),
    })
  })
})

describe('how it ends', () => {
  test('by itself, by its code, by a signal', async () => {
    expect(await run('exit 3')).toMatchObject({ status: 'failed', exitCode: 3, error: 'Exited with code 3' })
    expect(await run('kill -SEGV $$')).toMatchObject({
      status: 'failed',
      signal: 'SIGSEGV',
      error: 'Ended by SIGSEGV',
    })
  })

  test('by its time-out', async () => {
    const ended = await run('echo on; sleep 60', { timeoutSec: 1 })
    expect(ended).toMatchObject({ status: 'timed_out', error: expect.stringContaining('1 s') })
    expect(ended.log).toMatch(/^on\n.*[Tt]imed out/)
    expect(strays(ended.id)).toEqual([])
  })

  test('by its output limit, never cut silently, however fast it writes', async () => {
    const ended = await run('yes', { maxOutputBytes: 100_000 })
    expect(ended).toMatchObject({
      status: 'failed',
      logBytes: 100_000,
      error: expect.stringMatching(/[Oo]utput limit/),
    })
    expect(ended.log.slice(0, 100_000)).toBe('y\n'.repeat(50_000))
    expect(ended.log.slice(100_000)).toMatch(/[Oo]utput limit/)
    expect(strays(ended.id)).toEqual([])
  })

  test('cancelled: 202, asked, then forced, with everything it started and hid', async () => {
    const script = `trap '' TERM; (setsid sh -c "trap '' TERM; while :; do sleep 1; done" &) ; echo on; while :; do sleep 1; done`
    const { id } = await startExecution(box, await registerScript(box, script))
    await untilExecution(box, id, isSpeaking)
    expect(strays(id).length).toBeGreaterThan(2)
    const answer = await box.call('POST', `/executions/${id}/cancel`)
    expect([answer.status, answer.body.data.status]).toEqual([202, 'cancelling'])
    expect((await untilEnded(box, id)).status).toBe('cancelled')
    expect(strays(id)).toEqual([])
    expect((await box.call('POST', `/executions/${id}/cancel`)).status).toBe(409)
  })

  test('with its program, although a grandchild still holds its output', async () => {
    const ended = await run('echo first; (setsid sleep 300 &); echo last')
    expect(ended).toMatchObject({ status: 'succeeded', log: 'first\nlast\n' })
    expect(strays(ended.id)).toEqual([])
  })
})

describe('what it says', () => {
  test('is kept to the byte: colours, half a character, closed streams, characters cut by the pipe', async () => {
    const colours = await run(String.raw`printf '\033[31mred\033[0m\n'`)
    expect(colours.log).toBe('\u001b[31mred\u001b[0m\n')
    const half = await runScript(box, String.raw`printf 'a\303'`)
    const bytes = await fetch(`${box.url}/api/v1/executions/${half.id}/logs`, {
      headers: { authorization: `Bearer ${box.token}` },
    }).then((response) => response.arrayBuffer())
    expect(Buffer.from(bytes)).toEqual(Buffer.from([0x61, 0xc3]))
    expect(await run('echo before; exec 1>&-; sleep 0.2; echo after >&2')).toMatchObject({
      status: 'succeeded',
      log: 'before\nafter\n',
    })
    const reopened = await run('echo out > /dev/stdout; echo err > /dev/stderr')
    expect([reopened.status, reopened.log]).toEqual(['succeeded', 'out\nerr\n'])
    expect((await run(String.raw`printf '\342'; sleep 0.1; printf '\202\254\n'`)).log).toBe('€\n')
  })
})

describe('many at once', () => {
  test('each folder has a keeper of its own, also when all of them are new', async () => {
    const folders = Array.from({ length: 6 }, (_, index) => join(box.work, `folder-${index}`))
    for (const folder of folders) mkdirSync(folder)
    const capabilities = await Promise.all(
      folders.map((workingDir) => registerScript(box, 'pwd', { agent: { workingDir } })),
    )
    const started = await Promise.all(capabilities.map((id) => startExecution(box, id)))
    const ended = await Promise.all(started.map(({ id }) => untilEnded(box, id)))
    expect(ended.map(({ status, error }) => error ?? status)).toEqual(folders.map(() => 'succeeded'))
    const logs = await Promise.all(started.map(({ id }) => logOf(box, id)))
    expect(logs).toEqual(folders.map((folder) => `${folder}\n`))
  })

  test('what was cancelled before it started never ran, and what ran is cancelled and dead', async () => {
    const capabilityId = await registerScript(box, '', {
      capability: {
        commandTokens: ['sh', '-c', 'echo ran > "$1"; sleep 60', 'sh', '{{what}}'],
        ...oneArgument,
      },
    })
    const tried = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const file = join(box.work, `ran-${index}`)
        const { id } = await startExecution(box, capabilityId, { args: { what: file } })
        await wait(index * 4)
        await box.call('POST', `/executions/${id}/cancel`)
        return { id, file }
      }),
    )
    const lies = []
    for (const { id, file } of tried) {
      const { status, error } = await untilEnded(box, id)
      expect(status).toBe('cancelled')
      if (error === 'Cancelled before it started' && existsSync(file)) lies.push(id)
      expect(strays(id)).toEqual([])
    }
    expect(lies).toEqual([])
  })
})

describe('when there is no room', () => {
  test('nothing is claimed below MIN_FREE_DISK, and it says so', async () => {
    const other = await startSignalbox({ env: { MIN_FREE_DISK: '1000TB', HEARTBEAT_INTERVAL_MS: '300' } })
    onTestFinished(async () => void (await other.stop()))
    const { id } = await startExecution(other, await registerScript(other, 'echo hi'))
    await expect
      .poll(async () => (await other.call('GET', '/workers/status')).body.data[0].report?.notClaiming)
      .toContain('MIN_FREE_DISK')
    await wait(1_500)
    expect((await other.call('GET', `/executions/${id}`)).body.data.status).toBe('queued')
    expect((await other.call('POST', `/executions/${id}/cancel`)).body.data.status).toBe('cancelled')
  })
})

describe('when Postgres is away', () => {
  test('agents go on, and what they said arrives afterwards', async () => {
    const other = await startSignalbox()
    onTestFinished(async () => {
      other.process.kill('SIGCONT')
      await other.stop()
    })
    const script = 'for i in $(seq 60); do echo line $i; sleep 0.1; done'
    const { id } = await startExecution(other, await registerScript(other, script))
    await untilExecution(other, id, isSpeaking)
    other.process.kill('SIGSTOP') // nobody brings Postgres back meanwhile
    const postmaster = identify(findPostmaster(join(other.home, 'postgres/data'))!.pid)!
    process.kill(postmaster.pid, 'SIGKILL')
    await isGoneWithin(postmaster, 5_000)
    await expect.poll(() => strays(id), { timeout: 20_000 }).toEqual([]) // it has counted to its end without anyone
    other.process.kill('SIGCONT')
    expect(await untilEnded(other, id, 30_000)).toMatchObject({ status: 'succeeded', logLines: 60 })
    expect(await logOf(other, id)).toBe(
      Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`).join(''),
    )
  })
})
