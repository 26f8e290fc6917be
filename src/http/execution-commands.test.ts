import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { codeOf, fieldOf, openWithGit } from '../../test/support/git-registry.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { undeliveredCommands } from '#db/commands.ts'
import { agents, approvals, capabilities, executions } from '#db/schema.ts'
import { leaseOf } from '#db/leases.ts'
import { beginExecution } from '#flows/begin-execution.ts'
import { newId } from '#lib/id.ts'

describe('cancelling', () => {
  test('what waits ends it at once, and nobody is handed it', async () => {
    const { start, call, rowOf, told, handOver, machineId } = await openWithGit()
    const { id, sessionId } = (await start()).body.data
    const { status, body } = await call('POST', `/executions/${id}/cancel`)
    expect([status, body.data.status, body.data.error]).toEqual([
      202,
      'cancelled',
      'Cancelled before it started',
    ])
    expect(body.data.endedAt).not.toBeNull()
    expect((await rowOf(id)).lastSeq).toBe(2)
    expect((await told(sessionId)).at(-1)).toMatchObject({
      seq: 2,
      type: 'data-status',
      payload: { status: 'cancelled', error: 'Cancelled before it started' },
    })
    expect((await told(BOARD_STREAM)).map(({ type }) => type)).toEqual([
      'execution.queued',
      'execution.completed',
    ])
    expect(await handOver.take(machineId, 'tool', 5)).toEqual([])
    expect(codeOf(await call('POST', `/executions/${id}/cancel`))).toEqual([409, 'execution_ended'])
  })

  test('what runs tells its keeper once, however often it is asked', async () => {
    const { start, call, run, told, pool } = await openWithGit()
    const { id, sessionId } = (await start()).body.data
    await run(id)
    const answers = await Promise.all([1, 2, 3].map(() => call('POST', `/executions/${id}/cancel`)))
    expect(answers.map(({ status, body }) => [status, body.data.status])).toEqual(
      answers.map(() => [202, 'cancelling']),
    )
    expect(await undeliveredCommands(pool.db, id)).toMatchObject([{ type: 'cancel' }])
    expect((await told(sessionId)).map(({ payload }) => payload.status)).toEqual(['queued', 'cancelling'])
    expect((await told(BOARD_STREAM)).map(({ type }) => type)).toEqual([
      'execution.queued',
      'execution.cancelling',
    ])
  })

  test('what a keeper may have begun is never called unstarted, and stays cancelling when it begins', async () => {
    const { start, call, rowOf, pool } = await openWithGit()
    const { id } = (await start()).body.data
    await pool.db.update(executions).set({ keeperId: newId() }).where(eq(executions.id, id))
    const { status, body } = await call('POST', `/executions/${id}/cancel`)
    expect([status, body.data.status, body.data.endedAt]).toEqual([202, 'cancelling', null])
    expect(await undeliveredCommands(pool.db, id)).toMatchObject([{ type: 'cancel' }])
    const row = await rowOf(id)
    await pool.transaction((tx) => beginExecution(tx, leaseOf(row)))
    expect((await rowOf(id)).status).toBe('cancelling')
  })

  test('what has ended is too late', async () => {
    const { start, call, end } = await openWithGit()
    const { id } = (await start()).body.data
    await end(id)
    expect(codeOf(await call('POST', `/executions/${id}/cancel`))).toEqual([409, 'execution_ended'])
  })
})

describe('a message', () => {
  test('to a command that runs is refused', async () => {
    const { start, call, run } = await openWithGit()
    const { id } = (await start()).body.data
    await run(id)
    expect(codeOf(await call('POST', `/executions/${id}/messages`, { text: 'hello' }))).toEqual([
      409,
      'takes_no_messages',
    ])
  })

  test('to one that is over is the next prompt of its session', async () => {
    const { start, call, end, rowOf, task } = await openWithGit()
    const { id: taskId } = await task()
    const first = (await start({ taskId })).body.data
    await end(first.id)
    const { status, body } = await call('POST', `/executions/${first.id}/messages`, { text: 'docs' })
    expect(status).toBe(200)
    expect(body.data.executionId).not.toBe(first.id)
    expect(await rowOf(body.data.executionId)).toMatchObject({
      sessionId: first.sessionId,
      workspaceId: first.workspaceId,
      taskId,
      args: { ref: 'main', depth: 1 },
      prompt: 'docs',
      status: 'queued',
    })
    const again = await call('POST', `/executions/${first.id}/messages`, { text: 'more' })
    expect(codeOf(again)).toEqual([409, 'takes_no_messages'])
  })

  test('goes nowhere when the command has no place for it, or is gone', async () => {
    const { start, call, end, agent } = await openWithGit({ commandTokens: ['{{ref}}'] })
    const { id } = (await start()).body.data
    await end(id)
    const say = () => call('POST', `/executions/${id}/messages`, { text: 'x' })
    expect((await say()).body.error.message).toContain('has no {{prompt}}')
    await call('DELETE', `/agents/${agent.id}`)
    const gone = await say()
    expect([...codeOf(gone), gone.body.error.message]).toEqual([
      409,
      'takes_no_messages',
      expect.stringContaining('is gone'),
    ])
  })

  test('to something dangerous that lives is refused, also when it became so later', async () => {
    const { start, call, run, agent, pool } = await openWithGit({ dangerLevel: 2 })
    await pool.db.update(agents).set({ adapter: 'claude' }).where(eq(agents.id, agent.id))
    const { id, capabilityId } = (await start({ confirm: true })).body.data
    await run(id)
    const say = () => call('POST', `/executions/${id}/messages`, { text: 'and more' })
    const levels = async (level: number) =>
      pool.db.update(capabilities).set({ dangerLevel: level }).where(eq(capabilities.id, capabilityId))
    const said = await say()
    expect([...codeOf(said), said.body.error.message]).toEqual([
      409,
      'takes_no_messages',
      expect.stringContaining('a yes of its own'),
    ])
    await levels(0)
    expect(codeOf(await say())).toEqual([409, 'takes_no_messages'])
    await pool.db.delete(approvals)
    await levels(3)
    expect(codeOf(await say())).toEqual([409, 'takes_no_messages'])
    await levels(1)
    expect((await say()).body.data.executionId).toBe(id)
    expect(await undeliveredCommands(pool.db, id)).toHaveLength(1)
  })

  test('brings no files to a command, and no yes to a dangerous one', async () => {
    const { start, call, end, rowOf, handOver, machineId } = await openWithGit({ dangerLevel: 3 })
    const { id } = (await start({ confirm: true })).body.data
    await end(id)
    const say = (more: object) => call('POST', `/executions/${id}/messages`, { text: 'x', ...more })
    expect(fieldOf(await say({ files: [{ url: 'a.png' }] }))).toEqual([422, 'files'])
    const { body } = await say({})
    expect(await rowOf(body.data.executionId)).toMatchObject({ status: 'queued', waitingApprovals: 1 })
    const [only] = await handOver.take(machineId, 'tool', 5)
    expect(only?.executionId).toBe(id)
  })

  test('and an interruption are queued for agents that listen', async () => {
    const { start, call, run, pool, end } = await openWithGit()
    const { id } = (await start()).body.data
    await run(id)
    expect(codeOf(await call('POST', `/executions/${id}/interrupt`))).toEqual([409, 'cannot_interrupt'])
    await pool.db.update(agents).set({ adapter: 'acp' })
    expect((await call('POST', `/executions/${id}/messages`, { text: 'hi' })).body.data.executionId).toBe(id)
    expect((await call('POST', `/executions/${id}/interrupt`)).status).toBe(202)
    expect(await undeliveredCommands(pool.db, id)).toMatchObject([
      { type: 'message', payload: { text: 'hi' } },
      { type: 'interrupt' },
    ])
    await end(id)
    expect(codeOf(await call('POST', `/executions/${id}/interrupt`))).toEqual([409, 'execution_ended'])
  })
})
