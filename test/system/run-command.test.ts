import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerShell } from '../support/shell-agent.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

const program = join(import.meta.dirname, '../../src/main/signalbox.ts')
let box: Signalbox
beforeAll(async () => {
  box = await startSignalbox()
  await registerShell(box)
}, 60_000)
afterAll(() => box?.stop())

interface Started {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  code: Promise<number | null>
}

/** Starts the command as a person would. */
function start(...args: string[]): Started {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], HOME: box.home, SIGNALBOX_HOME: box.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text))
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, stdout: () => texts.stdout, stderr: () => texts.stderr, code }
}

async function signalbox(...args: string[]) {
  const { code, stdout, stderr } = start(...args)
  return { code: await code, stdout: stdout(), stderr: stderr() }
}

const run = (prompt: string, ...more: string[]) => signalbox('run', prompt, '--agent', 'shell', ...more)
const detached = async (prompt: string) => (await run(prompt, '-d')).stdout.trim()

/** A program waits for a file of this name; the test says when it is there. */
const until = (name: string) => `while [ ! -e "${join(box.work, name)}" ]; do sleep 0.05; done`
const goOn = (name: string) => writeFile(join(box.work, name), '')

it('runs, prints what it writes, and ends with the program’s own code', async () => {
  const failed = await run('echo out; echo err >&2; exit 3')
  expect(failed).toEqual({
    code: 3,
    stdout: 'out\n',
    stderr: expect.stringMatching(/^err\n[^]*failed: Exited with code 3\n$/),
  })
  expect(await run('echo fine')).toEqual({ code: 0, stdout: 'fine\n', stderr: '' })
})

it('waits for a yes to something dangerous, and says how to give it', async () => {
  const { body } = await box.call('GET', '/agents')
  const shell = body.data.find(({ name }: { name: string }) => name === 'shell')
  await box.call('POST', `/agents/${shell.id}/capabilities`, {
    key: 'wipe',
    label: 'Wipe it',
    interactionMode: 'template',
    commandTokens: ['sh', '-c', 'echo wiped'],
    dangerLevel: 3,
  })
  const wipe = ['run', '--agent', 'shell', '--capability', 'wipe']
  const waiting = start(...wipe)
  const asked = /^\? \/bin\/sh -c 'echo wiped' \(signalbox approve ([\da-f]{12})\)\n$/
  await expect.poll(waiting.stderr, { timeout: 10_000 }).toMatch(asked)
  const [, approvalId = ''] = asked.exec(waiting.stderr()) ?? []
  expect((await signalbox('approve', approvalId)).stdout).toBe("granted: /bin/sh -c 'echo wiped'\n")
  expect([await waiting.code, waiting.stdout()]).toEqual([0, 'wiped\n'])
  const left = await signalbox(...wipe, '-d')
  expect(left.stderr).toMatch(/^It waits for a yes to: .*echo wiped'\n {2}signalbox approve [\da-f]{12} /)
  expect((await signalbox('stop', left.stdout.trim())).stdout).toContain('cancelled')
  expect(await signalbox(...wipe, '--confirm')).toEqual({ code: 0, stdout: 'wiped\n', stderr: '' })
  const { body: all } = await box.call('GET', `/agents/${shell.id}/capabilities`)
  const { id } = all.data.find(({ key }: { key: string }) => key === 'wipe')
  await box.call('DELETE', `/agents/${shell.id}/capabilities/${id}`)
})

it('speaks JSON', async () => {
  const { code, stdout } = await run('exit 4', '--json')
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 4, status: 'failed', exitCode: 4 })
  const refused = await signalbox('run', 'x', '--agent', 'shell', '--arg', 'a=b', '--json')
  expect(refused.code).toBe(1)
  expect(JSON.parse(refused.stderr).error).toMatchObject({
    code: 'does_not_fit',
    requestId: expect.any(String),
  })
})

it('says which agents and capabilities there are', async () => {
  const { code, stderr } = await signalbox('run', 'x', '--agent', 'nobody')
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^No agent is called "nobody"\. There are:\n {2}Chat {2}[\da-f-]{36}\n {2}shell {2}[\da-f-]{36}\n$/,
  )
  expect((await signalbox('run', 'x', '--agent', 'shell', '--capability', 'fly')).stderr).toBe(
    'shell has no capability "fly". It has:\n  do  do\n',
  )
})

it('is left with Ctrl-C, goes on, and is followed again by the end of its id', async () => {
  const running = start('run', `echo begun; ${until('left')}; echo ended`, '--agent', 'shell')
  await expect.poll(running.stdout, { timeout: 10_000 }).toBe('begun\n')
  running.child.kill('SIGINT')
  expect(await running.code).toBe(130)
  const [, id = ''] = /signalbox logs -f ([\da-f]{12}) /.exec(running.stderr()) ?? []
  expect(running.stderr()).toContain(`signalbox stop ${id}`)
  expect((await signalbox('logs', id)).stdout).toBe('begun\n')
  const following = start('logs', '-f', id)
  await expect.poll(following.stdout, { timeout: 10_000 }).toBe('begun\n')
  await goOn('left')
  expect(await following.code).toBe(0)
  expect(following.stdout()).toBe('begun\nended\n')
})

interface Up {
  children: { name: string; pid: number }[]
}
async function killWeb(): Promise<void> {
  const { children }: Up = JSON.parse(await readFile(join(box.home, 'up.json'), 'utf8'))
  for (const { name, pid } of children) if (name === 'web') process.kill(pid, 'SIGKILL')
}

it('follows and waits through the death of web, losing and doubling nothing', async () => {
  const id = await detached(`echo begun; ${until('dead')}; seq 1 200; exit 7`)
  const following = start('logs', '-f', id)
  const waiting = start('wait', id)
  await expect.poll(following.stdout, { timeout: 10_000 }).toBe('begun\n')
  await expect.poll(waiting.stderr, { timeout: 10_000 }).toContain('Waiting for')
  await killWeb()
  await expect.poll(following.stderr, { timeout: 10_000 }).toContain('reconnecting')
  await goOn('dead')
  expect(await following.code).toBe(0)
  expect(following.stdout()).toBe(`begun\n${Array.from({ length: 200 }, (_, n) => `${n + 1}\n`).join('')}`)
  expect(following.stderr()).toBe('The connection is lost; reconnecting…\n')
  expect(await waiting.code).toBe(7)
})

it('stops, and waits for the end of it', async () => {
  const id = await detached('sleep 600')
  const impatient = await signalbox('wait', id, '--timeout', '300ms')
  expect(impatient).toMatchObject({ code: 124, stderr: expect.stringContaining('Not over yet') })
  const waiting = start('wait', id)
  expect(await signalbox('stop', id.slice(-12), '--wait')).toEqual({
    code: 0,
    stdout: `${id.slice(-12)} cancelled\n`,
    stderr: '',
  })
  expect(await waiting.code).toBe(130)
  const again = await signalbox('stop', id, '--json')
  expect(again.code).toBe(1)
  expect(JSON.parse(again.stderr).error.code).toBe('execution_ended')
})

it('sends, and prints the execution that takes it', async () => {
  const id = await detached('echo first')
  expect((await signalbox('wait', id)).code).toBe(0)
  const { code, stdout } = await signalbox('send', id, 'echo second')
  expect(code).toBe(0)
  expect(stdout.trim()).not.toBe(id)
  expect((await signalbox('wait', stdout.trim())).code).toBe(0)
  expect((await signalbox('logs', stdout.trim())).stdout).toBe('second\n')
})

it('lists executions and sessions', async () => {
  expect((await run('exit 9')).code).toBe(9)
  const { stdout } = await signalbox('ls', 'executions', '--status', 'failed', '--agent', 'shell')
  expect(stdout).toMatch(/^STATUS +AGENT +CAPABILITY +ID +WHAT HAPPENED +TOOK +AGE\n/)
  expect(stdout).toMatch(/^failed +shell +do +[\da-f]{12} +Exited with code 9/m)
  expect((await signalbox('ls', 'executions', '--status', 'lost')).stderr).toContain(
    'Allowed choices are queued',
  )
  expect((await signalbox('ls', 'sessions')).stdout).toMatch(/^failed +exit 9 +1 /m)
  const { data } = (await box.call('GET', '/executions?pageSize=1')).body
  expect(JSON.parse((await signalbox('ls', 'executions', '--json')).stdout)[0]).toEqual(data[0])
})

it.each([
  ['12345', 'too short'],
  ['zzzzzzzz', 'is not an id'],
  ['ffffffffffff', 'No execution has an id'],
])('says what is wrong with the id %s', async (id, told) => {
  const { code, stderr } = await signalbox('logs', id)
  expect(code).toBe(1)
  expect(stderr).toContain(told)
})
