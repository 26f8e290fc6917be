import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Approval } from '#contract/approval.ts'
import { readExecution, registerScript, startExecution, untilEnded } from '../support/commands.ts'
import { killChild } from '../support/kill-child.ts'
import { registerScripted, scriptedEnv } from '../support/scripted-agent.ts'
import { call, startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

const program = join(import.meta.dirname, '../../src/main/signalbox.ts')
const patience = { timeout: 20_000 }
const store = mkdtempSync(join(tmpdir(), 'signalbox-scripted-'))
let box: Signalbox
let talking = ''
/** Counts how often it ran. */
let dangerous = ''
let files = 0
let file = ''

const env = {
  ...scriptedEnv(store),
  HEARTBEAT_INTERVAL_MS: '300',
  ALLOWED_BINARY_DIRS: `${scriptedEnv(store)['ALLOWED_BINARY_DIRS']}:/bin:/usr/bin`,
}

beforeAll(async () => {
  box = await startSignalbox({ env })
  talking = (await registerScripted(box)).capabilityId
}, 60_000)
afterAll(async () => {
  await box?.stop()
  rmSync(store, { recursive: true, force: true })
})

/** The command as a person would give it. */
function signalbox(...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], HOME: box.home, SIGNALBOX_HOME: box.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve)).then((code) => ({
    code,
    ...texts,
  }))
  return { ended, stderr: () => texts.stderr }
}

async function registerDangerous(): Promise<void> {
  // The test before may have killed it.
  const status = () =>
    box.call('GET', '/tasks').then(
      (answer) => answer.status,
      () => 0,
    )
  await expect.poll(status, patience).toBe(200)
  file = join(box.work, `ran-${++files}`)
  dangerous = await registerScript(box, `echo ran >> ${file}; echo done`, { capability: { dangerLevel: 3 } })
}
const timesRun = () => {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1
  } catch {
    return 0
  }
}

const waitingOf = async (executionId: string): Promise<Approval[]> =>
  (await box.call('GET', `/approvals?status=waiting&executionId=${executionId}`)).body?.data ?? []
async function untilAsked(executionId: string): Promise<Approval> {
  await expect.poll(async () => (await waitingOf(executionId)).length, patience).toBe(1)
  return (await waitingOf(executionId))[0]!
}
const answer = (id: string, given: object) => box.call('POST', `/approvals/${id}`, given)
async function untilAnswered(id: string, given: object): Promise<void> {
  await expect.poll(async () => (await answer(id, given).catch(() => undefined))?.status, patience).toBe(200)
}
async function killBoth(): Promise<void> {
  await Promise.all([killChild(box, 'web'), killChild(box, 'worker')])
}

test('what is dangerous, asked before web and worker are killed, is answered once both are back, and runs once', async () => {
  await registerDangerous()
  const { id } = await startExecution(box, dangerous)
  const approval = await untilAsked(id)
  await killBoth()
  await untilAnswered(approval.id, { decision: 'granted' })
  await killChild(box, 'worker') // wherever it is on its way to begin
  expect(await untilEnded(box, id)).toMatchObject({ status: 'succeeded', waitingApprovals: 0 })
  expect(timesRun()).toBe(1)
  const again = await answer(approval.id, { decision: 'granted' })
  expect([again.status, again.body.error]).toMatchObject([
    409,
    { code: 'approval_already_answered', context: { status: 'granted', answeredBy: 'owner' } },
  ])
})

describe('what is dangerous', () => {
  test('never runs without a yes, whatever is killed, and not after a no', async () => {
    await registerDangerous()
    const { id } = await startExecution(box, dangerous)
    const { id: approvalId } = await untilAsked(id)
    await killBoth()
    await untilAnswered(approvalId, { decision: 'refused', reason: 'No' })
    expect(await untilEnded(box, id)).toMatchObject({ status: 'cancelled', error: 'Refused by Owner: No' })
    expect(timesRun()).toBe(0)
  })

  test('does not run when it is not what was said yes to any more', async () => {
    await registerDangerous()
    const task = (await box.call('POST', '/tasks', { title: 'harmless' })).body.data
    const capability = await registerScript(box, `echo "$0" >> ${file}`, {
      capability: {
        dangerLevel: 2,
        commandTokens: ['sh', '-c', `echo "$0" >> ${file}`, '{{task_title}}'],
      },
    })
    const { id } = await startExecution(box, capability, { taskId: task.id })
    const approval = await untilAsked(id)
    expect(approval.title).toContain('harmless')
    await box.call('PATCH', `/tasks/${task.id}`, { title: 'harmful' })
    await untilAnswered(approval.id, { decision: 'granted' })
    expect(await untilEnded(box, id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('not what was said yes to any more'),
    })
    expect(timesRun()).toBe(0)
  })
})

describe('an answer', () => {
  test('to a forged id, and to the session of somebody else, finds nothing', async () => {
    const { id } = await startExecution(box, talking, { prompt: 'ask rm' })
    const approval = await untilAsked(id)
    const user = (await box.call('POST', '/users', { name: 'Bob', scopes: ['approve', 'run', 'board'] })).body
      .data
    const asBob = (path: string) => call(box.url, user.token, 'POST', path, { decision: 'granted' })
    const forged = `/approvals/${approval.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))}`
    for (const answered of [
      await asBob(`/approvals/${approval.id}`),
      await asBob(forged),
      await box.call('POST', forged, { decision: 'granted' }),
    ])
      expect([answered.status, answered.body.error.code]).toEqual([404, 'approval_not_found'])
    expect((await call(box.url, user.token, 'GET', '/approvals')).body.data).toEqual([])
    expect((await readExecution(box, id)).waitingApprovals).toBe(1)
    await answer(approval.id, { decision: 'refused' })
    expect((await untilEnded(box, id)).status).toBe('succeeded')
  })

  test('that is remembered is given without asking from then on', async () => {
    const ask = async () => startExecution(box, talking, { prompt: 'ask ls *' })
    const first = await ask()
    await answer((await untilAsked(first.id)).id, { decision: 'granted', remember: true })
    await untilEnded(box, first.id)
    const second = await ask()
    expect((await untilEnded(box, second.id)).status).toBe('succeeded')
    const { data } = (await box.call('GET', `/approvals?executionId=${second.id}`)).body
    expect(data).toMatchObject([{ status: 'granted', answeredBy: 'policy' }])
    const other = await startExecution(box, talking, { prompt: 'ask ls /etc' })
    await answer((await untilAsked(other.id)).id, { decision: 'refused' })
    await untilEnded(box, other.id)
  })
})

test('what nobody answers in time is a no to the agent, and ends what has not begun', async () => {
  const hurried = await startSignalbox({ env: { ...env, APPROVAL_EXPIRES_MS: '1000' } })
  try {
    const scripted = await registerScripted(hurried)
    const waits = await registerScript(hurried, 'true', { capability: { dangerLevel: 2 } })
    const [asked, never] = await Promise.all([
      startExecution(hurried, scripted.capabilityId, { prompt: 'ask rm' }),
      startExecution(hurried, waits),
    ])
    expect(await untilEnded(hurried, never.id)).toMatchObject({
      status: 'cancelled',
      error: 'Nobody answered in time',
      startedAt: null,
    })
    expect((await untilEnded(hurried, asked.id)).status).toBe('succeeded') // it heard a no, and went on
    const { data } = (await hurried.call('GET', '/approvals')).body
    expect(data).toMatchObject([0, 1].map(() => ({ status: 'expired', reason: 'Nobody answered in time' })))
    const late = await hurried.call('POST', `/approvals/${data[0].id}`, { decision: 'granted' })
    expect([late.status, late.body.error.code]).toEqual([409, 'approval_expired'])
  } finally {
    await hurried.stop()
  }
})

describe('the command line', () => {
  const list = async (): Promise<Approval[]> =>
    JSON.parse((await signalbox('ls', 'approvals', '--json').ended).stdout)

  test('says what an agent asks while it is followed, and answers it', async () => {
    const running = signalbox('run', 'ask rm -rf x', '--agent', 'scripted')
    await expect.poll(() => running.stderr(), patience).toContain('? rm -rf x (signalbox approve ')
    const [, id = ''] = /signalbox approve ([\da-f]{12})\)/.exec(running.stderr()) ?? []
    const { stdout } = await signalbox('ls', 'approvals').ended
    expect(stdout).toMatch(
      /^STATUS +KIND +AGENT +WHAT +ID +AGE\nwaiting +tool +scripted +rm -rf x +[\da-f]{12} +now\n$/,
    )
    expect(await signalbox('deny', id, '--reason', 'Too much').ended).toEqual({
      code: 0,
      stdout: 'refused: rm -rf x\n',
      stderr: '',
    })
    expect((await running.ended).code).toBe(0)
    const twice = await signalbox('approve', id, '--json').ended
    expect([twice.code, JSON.parse(twice.stderr).error.code]).toEqual([1, 'approval_already_answered'])
    expect((await signalbox('ls', 'approvals').ended).stdout).toBe('Nothing waits for an answer.\n')
  })

  test('fills in a form, and remembers', async () => {
    const asking = await startExecution(box, talking, { prompt: 'question Which colour?' })
    const { id } = await untilAsked(asking.id)
    expect((await signalbox('approve', id, '--answer', 'colour=red').ended).stderr).toContain(
      'content.color: is needed',
    )
    expect((await signalbox('approve', id, '--answer', 'color=red').ended).code).toBe(0)
    expect((await untilEnded(box, asking.id)).status).toBe('succeeded')
    const tool = await startExecution(box, talking, { prompt: 'ask date' })
    await untilAsked(tool.id)
    const [approval] = await list()
    expect((await signalbox('approve', approval!.id.slice(0, 8), '--always').ended).stdout).toBe(
      'granted, from now on: date\n',
    )
    await untilEnded(box, tool.id)
    const { data } = (await box.call('GET', '/policies/rules')).body
    expect(data[0]).toMatchObject({ argument: 'date', effect: 'allow' })
  })

  test.each([
    ['12345', 'too short'],
    ['zzzzzzzz', 'is not an id of an approval'],
    ['ffffffffffff', 'No approval has an id'],
  ])('says what is wrong with the id %s', async (id, told) => {
    const { code, stderr } = await signalbox('approve', id).ended
    expect([code, stderr]).toEqual([1, expect.stringContaining(told)])
  })
})
