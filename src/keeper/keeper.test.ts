import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startKeeper } from '../../test/support/keeper.ts'
import type { TestKeeper } from '../../test/support/keeper.ts'
import { KEEPER_PROTOCOL } from '#contract/keeper-protocol.ts'
import { newId } from '#lib/id.ts'

let keeper: TestKeeper
const sleeper = ['-c', 'sleep 600'] as string[]

beforeEach(async () => {
  keeper = await startKeeper()
})
afterEach(() => keeper.stop())

it('runs a program and spools all that it says', async () => {
  const { records, end, output, pid } = await keeper.run('/bin/sh', ['-c', 'echo out; echo err >&2; exit 3'])
  expect(records[0]).toMatchObject({ offset: 1, type: 'started', payload: { pid } })
  expect(output('stdout').toString()).toBe('out\n')
  expect(output('stderr').toString()).toBe('err\n')
  expect(end).toEqual({ reason: 'exited', exitCode: 3, signal: null, message: null })
})

it('says who it is, and writes it down once it listens', async () => {
  const { body } = await keeper.call('GET', '/')
  expect(body).toMatchObject({
    protocol: KEEPER_PROTOCOL,
    keeperId: keeper.keeperId,
    workspaceId: null,
    executions: [],
  })
  expect(body.identity.pid).toBe(keeper.process.pid)
  const { identity, ...record } = JSON.parse(readFileSync(join(keeper.folder, 'keeper.json'), 'utf8'))
  expect(record).toEqual({ protocol: KEEPER_PROTOCOL, keeperId: keeper.keeperId, socket: keeper.socket })
  expect(identity).toEqual(body.identity)
})

it('starts an execution once, however often it is asked for', async () => {
  const executionId = newId()
  const marker = join(keeper.folder, '../marker')
  const argv = ['-c', 'echo once >> "$0"', marker]
  await Promise.all(Array.from({ length: 5 }, () => keeper.launch('/bin/sh', argv, { executionId })))
  await keeper.progress(executionId)
  await keeper.launch('/bin/sh', argv, { executionId })
  expect(readFileSync(marker, 'utf8')).toBe('once\n')
})

it('tells of the spool only what is in the file', async () => {
  const id = await keeper.launch('/bin/sh', ['-c', 'for i in 1 2 3 4 5; do echo $i; sleep 0.02; done'])
  const lines = await keeper.progress(id)
  const file = readFileSync(join(keeper.folder, `${id}.ndjson`))
  for (const { offset, bytes } of lines)
    expect(file.subarray(0, bytes).toString().split('\n')).toHaveLength(offset + 1)
  expect(lines.at(-1)).toEqual({ state: 'ended', offset: keeper.records(id).length, bytes: file.length })
  expect(lines.filter(({ state }) => state === 'ended')).toHaveLength(1)
})

describe('an epoch', () => {
  it('that is lower than one seen before is refused everywhere', async () => {
    const id = await keeper.launch('/bin/sh', sleeper, { epoch: 5 })
    const command = { id: newId(), type: 'cancel', payload: null }
    for (const call of [
      keeper.call('GET', `/executions/${id}/progress?epoch=4`),
      keeper.call('POST', `/executions/${id}/commands`, { epoch: 4, ...command }),
      keeper.call('POST', `/executions/${id}/release`, { epoch: 4 }),
      keeper.call('POST', '/executions', { executionId: id, epoch: 4 }),
    ])
      expect(await call).toMatchObject({ status: 409, body: { error: { code: 'stale_epoch' } } })
    expect((await keeper.call('GET', '/')).body.executions).toMatchObject([
      { id, epoch: 5, state: 'running' },
    ])
  })

  it('that is higher ends the progress of those before', async () => {
    const id = await keeper.launch('/bin/sh', sleeper)
    const old = keeper.progress(id, 1)
    const command = { epoch: 2, id: newId(), type: 'message', payload: { text: 'hello' } }
    await keeper.call('POST', `/executions/${id}/commands`, command)
    expect((await old).at(-1)?.state).toBe('running')
    expect((await keeper.call('GET', `/executions/${id}/progress?epoch=1`)).status).toBe(409)
  })

  it.each(['', '?epoch=one', '?epoch='])('is asked for: progress%s', async (query) => {
    const id = await keeper.launch('/bin/sh', sleeper)
    const { status } = await keeper.call('GET', `/executions/${id}/progress${query.replace('=', '=x')}`)
    expect(status).toBe(400)
  })
})

describe('it refuses', () => {
  const code = async (call: Promise<{ status: number; body: { error: { code: string } } }>) => {
    const { status, body } = await call
    return `${status} ${body.error.code}`
  }

  it('another workspace', async () => {
    await keeper.run('/bin/true')
    const workspace = { id: newId(), driver: 'folder', root: '/' }
    const call = keeper.call('POST', '/executions', { executionId: newId(), epoch: 1, workspace })
    expect(await code(call)).toBe('409 other_workspace')
  })

  it('to release what still runs', async () => {
    const id = await keeper.launch('/bin/sh', sleeper)
    expect(await code(keeper.call('POST', `/executions/${id}/release`, { epoch: 1 }))).toBe('409 not_ended')
  })

  it('what it does not know', async () => {
    const id = newId()
    expect(await code(keeper.call('GET', `/executions/${id}/progress?epoch=1`))).toBe(
      '404 execution_not_found',
    )
    expect(await code(keeper.call('POST', `/executions/${id}/commands`, { epoch: 1 }))).toMatch(/^404/)
    expect(await code(keeper.call('GET', '/nothing'))).toBe('404 not_found')
  })

  it('an execution that another keeper has begun', async () => {
    const executionId = newId()
    const line = JSON.stringify({ offset: 1, at: new Date(), type: 'started', payload: { pid: 1 } })
    writeFileSync(join(keeper.folder, `${executionId}.ndjson`), `${line}\n`)
    await expect(keeper.launch('/bin/true', [], { executionId })).rejects.toThrow('already_ran')
    expect(readFileSync(join(keeper.folder, `${executionId}.ndjson`), 'utf8')).toBe(`${line}\n`)
  })

  it('a body that is no JSON, and goes on', async () => {
    const broken = new Proxy({}, { get: (_, key) => (key === 'toJSON' ? () => undefined : undefined) })
    expect(await code(keeper.call('POST', '/executions', broken))).toBe('400 bad_request')
    expect((await keeper.run('/bin/true')).end.exitCode).toBe(0)
  })
})

it('forgets what was released, as often as it is told', async () => {
  const { id } = await keeper.run('/bin/true')
  for (let time = 0; time < 2; time += 1)
    expect((await keeper.call('POST', `/executions/${id}/release`, { epoch: 1 })).status).toBe(200)
  expect((await keeper.call('GET', '/')).body.executions).toEqual([])
  expect(existsSync(join(keeper.folder, `${id}.ndjson`))).toBe(false)
})

describe('a command', () => {
  const tell = async (id: string, type: string, commandId = newId()) =>
    (
      await keeper.call('POST', `/executions/${id}/commands`, {
        epoch: 1,
        id: commandId,
        type,
        payload: null,
      })
    ).body

  it.each(['message', 'answer', 'interrupt', 'mode'])(
    'to a command: %s is refused with a reason',
    async (type) => {
      const id = await keeper.launch('/bin/sh', ['-c', 'echo up; sleep 600'])
      await expect.poll(() => keeper.records(id).length).toBeGreaterThan(1)
      expect(await tell(id, type)).toEqual({
        outcome: 'refused',
        reason: expect.stringContaining('a command, not a conversation'),
      })
    },
  )

  it('is done once for each id: told again it has the same outcome', async () => {
    const id = await keeper.launch('/bin/sh', sleeper)
    const commandId = newId()
    expect(await tell(id, 'cancel', commandId)).toEqual({ outcome: 'delivered' })
    await keeper.progress(id)
    expect(await tell(id, 'cancel', commandId)).toEqual({ outcome: 'delivered' })
    expect(await tell(id, 'message')).toMatchObject({ outcome: 'refused' })
  })

  it('is known by its id alone', async () => {
    const id = await keeper.launch('/bin/sh', sleeper)
    const commandId = newId()
    expect(await tell(id, 'message', commandId)).toMatchObject({ outcome: 'refused' })
    expect(await tell(id, 'cancel', commandId)).toMatchObject({ outcome: 'refused' })
    expect((await keeper.call('GET', '/')).body.executions).toMatchObject([{ state: 'running' }])
  })

  it('to cancel comes too late for what has ended by itself', async () => {
    const { id } = await keeper.run('/bin/true')
    expect(await tell(id, 'cancel')).toMatchObject({ outcome: 'refused' })
    expect(keeper.records(id).at(-1)?.payload).toMatchObject({ reason: 'exited' })
  })
})

it('never starts what is over, and nothing that nobody waits for any more', async () => {
  const executionId = newId()
  await keeper.run('/bin/true', [], { executionId, epoch: 7 })
  await keeper.call('POST', `/executions/${executionId}/release`, { epoch: 7 })
  await expect(keeper.launch('/bin/true', [], { executionId, epoch: 3 })).rejects.toThrow('already_ran')
  await expect(keeper.launch('/bin/true', [], { notAfter: Date.now() - 1 })).rejects.toThrow('too_late')
  expect((await keeper.call('GET', '/')).body.executions).toEqual([])
})

describe('a shutdown', () => {
  it('for want of work is refused while there is some', async () => {
    const id = await keeper.launch('/bin/sh', sleeper)
    const idle = { reason: 'idle', graceMs: 0, unlessBusy: true }
    expect((await keeper.call('POST', '/shutdown', idle)).body.error.code).toBe('busy')
    expect((await keeper.call('GET', '/')).body.executions).toMatchObject([{ id, state: 'running' }])
  })

  it('is carried out although whoever asked did not wait', async () => {
    await keeper.launch('/bin/sh', ['-c', "trap '' TERM; while :; do sleep 1; done"])
    const asked = request({ socketPath: keeper.socket, path: '/shutdown', method: 'POST' })
    asked.on('error', () => undefined)
    asked.end(JSON.stringify({ reason: 'Worker shutdown', graceMs: 300 }), () =>
      setTimeout(() => asked.destroy(), 50),
    )
    expect(await keeper.exited).toBe(0)
  })

  it('ends everything with its reason, answers, and leaves the records', async () => {
    const id = await keeper.launch('/bin/sh', sleeper)
    await expect.poll(() => keeper.records(id).length).toBe(1)
    expect(
      (await keeper.call('POST', '/shutdown', { reason: 'Worker shutdown', graceMs: 1000 })).status,
    ).toBe(200)
    expect(keeper.records(id).at(-1)?.payload).toMatchObject({
      reason: 'shutdown',
      message: 'Worker shutdown',
    })
    expect(await keeper.exited).toBe(0)
    expect(existsSync(keeper.socket)).toBe(false)
    expect(keeper.records(id).at(-1)?.type).toBe('ended')
  })

  it('comes by SIGTERM too, and not by SIGINT or SIGHUP', async () => {
    const id = await keeper.launch('/bin/sh', sleeper)
    await expect.poll(() => keeper.records(id).length).toBe(1)
    keeper.process.kill('SIGINT')
    keeper.process.kill('SIGHUP')
    expect((await keeper.call('GET', '/')).body.executions).toMatchObject([{ state: 'running' }])
    keeper.process.kill('SIGTERM')
    expect(await keeper.exited).toBe(0)
    expect(keeper.records(id).at(-1)?.payload).toMatchObject({
      reason: 'shutdown',
      message: 'Keeper was told to end',
    })
  })
})

describe('its socket', () => {
  it.each([
    ['removed', () => rmSync(keeper.socket)],
    [
      'replaced',
      () => {
        rmSync(keeper.socket)
        writeFileSync(keeper.socket, '')
      },
    ],
  ])('is there again after it was %s, and who is connected goes on', async (_, sweep) => {
    const id = await keeper.launch('/bin/sh', sleeper)
    const watching = keeper.progress(id)
    await keeper.call('GET', '/')
    sweep()
    await expect
      .poll(
        () =>
          keeper.call('GET', '/').then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 10_000 },
      )
      .toBe(200)
    await keeper.call('POST', `/executions/${id}/commands`, { epoch: 1, id: newId(), type: 'cancel' })
    expect((await watching).at(-1)?.state).toBe('ended')
  })
})

describe('when nobody needs it', () => {
  it('ends itself and leaves nothing behind', async () => {
    const idle = await startKeeper({ args: ['200'] })
    const { id } = await idle.run('/bin/true')
    await idle.call('POST', `/executions/${id}/release`, { epoch: 1 })
    expect(await idle.exited).toBe(0)
    expect(readdirSync(join(idle.folder, '..'))).toEqual([])
    await idle.stop()
  })

  it('stays for records that were not copied, and for what runs', async () => {
    const idle = await startKeeper({ args: ['200'] })
    try {
      const { end } = await idle.run('/bin/sh', ['-c', 'sleep 1'])
      expect(end.exitCode).toBe(0)
      // Five times its patience, in which nobody asks for anything.
      expect(await Promise.race([idle.exited, wait(1_000, 'it stays')])).toBe('it stays')
      expect((await idle.call('GET', '/')).body.executions).toHaveLength(1)
    } finally {
      await idle.stop()
    }
  })
})
