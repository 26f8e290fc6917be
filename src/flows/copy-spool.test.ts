import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { BOARD_STREAM } from '#contract/event.ts'
import type { EndReason, SpoolRecord } from '#contract/keeper.ts'
import { enqueueCommand } from '#db/commands.ts'
import { lastSeq, readEvents } from '#db/events.ts'
import { findExecution } from '#db/executions.ts'
import { LeaseLost, takeLease } from '#db/leases.ts'
import { tokens } from '#db/schema.ts'
import { insertAgentToken } from '#db/tokens.ts'
import { newId } from '#lib/id.ts'
import { hashSecret } from '#lib/secret.ts'
import { seedExecution } from '../../test/support/execution-rows.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { copySaid, copySpool, isOnlySaid } from './copy-spool.ts'

const at = '2026-01-01T00:00:00.000Z'
const output = (offset: number, text: string): SpoolRecord => ({
  offset,
  at,
  type: 'data-terminal',
  payload: { stream: 'stdout', chunk: Buffer.from(text).toString('base64') },
})
const end = (offset: number, reason: EndReason = 'exited', exitCode: number | null = 0): SpoolRecord => ({
  offset,
  at,
  type: 'ended',
  payload: { reason, exitCode, signal: null, message: null },
})
const batchOf = (from: number, records: SpoolRecord[]) => ({
  from,
  to: from + records.length,
  bytes: 100 * (from + records.length),
  logBytes: 10,
  logLines: 1,
  records,
})

const rules = { approvalExpiresMs: 60_000, configured: [], handOver: { send: () => Promise.resolve() } }

async function open() {
  const pool = await freshPool()
  const execution = await seedExecution(pool)
  const { id, sessionId } = execution
  const row = (await findExecution(pool.db, id))!
  const take = async () => (await pool.transaction((tx) => takeLease(tx, id, row.machineId, 'worker')))!
  const lease = { executionId: id, sessionId, epoch: (await take()).leaseEpoch }
  const copy = (from: number, records: SpoolRecord[], of = lease) =>
    pool.transaction((tx) => copySpool(tx, of, batchOf(from, records), rules))
  const log = async (stream = sessionId) =>
    (await readEvents(pool.db, stream, 0, 100)).events.map(({ type, payload }) => ({
      type,
      payload: JSON.parse(payload),
    }))
  const said = async () =>
    (await log())
      .filter(({ type }) => type === 'data-terminal')
      .map(({ payload }) => Buffer.from(payload.chunk, 'base64').toString())
  return {
    pool,
    id,
    sessionId,
    lease,
    take,
    copy,
    log,
    said,
    execution,
    row: () => findExecution(pool.db, id),
  }
}

describe('copying a spool', () => {
  test('appends records once, and counts them', async () => {
    const { copy, said, row } = await open()
    await copy(0, [output(1, 'a'), output(2, 'b')])
    await copy(2, [output(3, 'c')])
    expect(await said()).toEqual(['a', 'b', 'c'])
    expect(await row()).toMatchObject({
      copiedTo: 3,
      copiedBytes: 300,
      logBytes: 20,
      logLines: 2,
      status: 'running',
    })
  })

  test('refuses what does not go on at the cursor: nothing is doubled, nothing is left out', async () => {
    const { copy, said, sessionId, pool } = await open()
    await copy(0, [output(1, 'a')])
    const before = await lastSeq(pool.db, sessionId)
    await expect(copy(0, [output(1, 'a')])).rejects.toThrow(LeaseLost)
    await expect(copy(2, [output(3, 'c')])).rejects.toThrow(LeaseLost)
    expect(await said()).toEqual(['a'])
    expect(await lastSeq(pool.db, sessionId)).toBe(before)
  })

  test('refuses a driver whose lease was taken', async () => {
    const { copy, take, lease, said } = await open()
    const { leaseEpoch } = await take()
    await expect(copy(0, [output(1, 'late')])).rejects.toThrow(LeaseLost)
    await copy(0, [output(1, 'new')], { ...lease, epoch: leaseEpoch })
    expect(await said()).toEqual(['new'])
  })

  test('ends the execution with the last record, and never again', async () => {
    const { copy, log, row, id } = await open()
    await copy(0, [output(1, 'a'), end(2, 'exited', 3)])
    expect(await row()).toMatchObject({
      status: 'failed',
      exitCode: 3,
      error: 'Exited with code 3',
      lastSeq: 2,
    })
    expect((await log()).at(-1)).toEqual({
      type: 'data-status',
      payload: { status: 'failed', exitCode: 3, error: 'Exited with code 3' },
    })
    const board = await log(BOARD_STREAM)
    expect(board.map(({ type, payload }) => [type, payload.execution.id])).toEqual([
      ['execution.completed', id],
    ])
    await expect(copy(2, [end(3)])).rejects.toThrow(LeaseLost)
  })

  test('what was asked to be cancelled is cancelled, however it ended', async () => {
    const { copy, execution, row } = await open()
    await execution.change('cancelling')
    await copy(0, [end(1, 'exited', 0)])
    expect(await row()).toMatchObject({ status: 'cancelled', exitCode: 0 })
  })

  test('says what was never told to the agent', async () => {
    const { pool, id, copy, said } = await open()
    for (const type of ['message', 'cancel'] as const)
      await pool.transaction((tx) => enqueueCommand(tx, id, { type, payload: {}, createdBy: 'owner' }))
    await copy(0, [end(1)])
    expect(await said()).toEqual(['Not run, agent gone: message\n'])
  })
})

describe('the token of an agent', () => {
  const started = (startedFor: string): SpoolRecord => ({
    offset: 1,
    at,
    type: 'started',
    payload: { pid: 1, startedFor },
  })
  async function openWithTokens() {
    const box = await open()
    const earlier = await seedExecution(box.pool)
    for (const executionId of [box.id, earlier.id])
      await insertAgentToken(box.pool.db, {
        id: newId(),
        hash: hashSecret(executionId),
        sessionId: box.sessionId,
        executionId,
      })
    const left = async () =>
      (await box.pool.db.select().from(tokens).where(eq(tokens.kind, 'agent'))).map(
        ({ executionId }) => executionId,
      )
    return { ...box, earlier: earlier.id, left }
  }

  test('is the one that its process was started with, in every turn of it', async () => {
    const { copy, earlier, left, id } = await openWithTokens()
    expect(await left()).toEqual([id, earlier])
    await copy(0, [started(earlier)])
    expect(await left()).toEqual([earlier])
  })

  test('of a new process replaces that of the one before', async () => {
    const { copy, left, id } = await openWithTokens()
    await copy(0, [started(id)])
    expect(await left()).toEqual([id])
  })

  test('goes with the process, and stays when that stays', async () => {
    const { copy, left, id } = await openWithTokens()
    const gone: SpoolRecord = {
      offset: 2,
      at,
      type: 'ended',
      payload: { reason: 'turn_failed', exitCode: null, signal: 'SIGKILL', message: null, isAgentGone: true },
    }
    await copy(0, [started(id), gone])
    expect(await left()).toEqual([])
    const other = await openWithTokens()
    await other.copy(0, [started(other.id), end(2, 'turn_completed', null)])
    expect(await other.left()).toEqual([other.id])
  })
})

describe('what only says something', () => {
  const say = (box: Awaited<ReturnType<typeof open>>, from: number, texts: string[], of = box.lease) => {
    const records = texts.map((text, index) => output(from + index + 1, text))
    return box.pool.statement((tx) => copySaid(tx, of, batchOf(from, records)))
  }

  test('is appended once, with the cursor', async () => {
    const box = await open()
    await say(box, 0, ['a', 'b'])
    await say(box, 2, ['c'])
    expect(await box.said()).toEqual(['a', 'b', 'c'])
    expect(await box.row()).toMatchObject({ copiedTo: 3, copiedBytes: 300, logBytes: 20, logLines: 2 })
  })

  test.each([
    ['again', async (box: Awaited<ReturnType<typeof open>>) => say(box, 0, ['a'])],
    ['with a gap', async (box: Awaited<ReturnType<typeof open>>) => say(box, 2, ['c'])],
    [
      'by whoever drove it before',
      async (box: Awaited<ReturnType<typeof open>>) => {
        await box.take()
        await say(box, 1, ['b'])
      },
    ],
  ])('is not appended %s', async (_, wrong) => {
    const box = await open()
    await say(box, 0, ['a'])
    const before = await lastSeq(box.pool.db, box.sessionId)
    await expect(wrong(box)).rejects.toThrow(LeaseLost)
    expect(await box.said()).toEqual(['a'])
    expect(await lastSeq(box.pool.db, box.sessionId)).toBe(before)
    expect(await box.row()).toMatchObject({ copiedTo: 1 })
  })

  test('of many who say the same at once, one does', async () => {
    const box = await open()
    const all = await Promise.allSettled(Array.from({ length: 6 }, () => say(box, 0, ['a'])))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await box.said()).toEqual(['a'])
  })

  test('is not what changes a row', () => {
    const usage = { inputTokens: 1, outputTokens: 1, costUsd: null }
    const stall: SpoolRecord = {
      offset: 2,
      at,
      type: 'chunk',
      payload: { type: 'data-stall', data: { silentMs: 1 } },
    }
    expect(isOnlySaid({ records: [output(1, 'a')] })).toBe(true)
    for (const record of [end(2), stall, { offset: 2, at, type: 'usage' as const, payload: usage }])
      expect(isOnlySaid({ records: [output(1, 'a'), record] })).toBe(false)
    expect(isOnlySaid({ records: [] })).toBe(false)
  })
})
