import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { openCodeMachines, openTestCodeMode } from '../../test/support/code/machine.ts'
import { beginCall, beginGranted, callsOf, endCall, unbeginCall } from './code-calls.ts'
import { findCodeRun, takeCodeRun } from './code-runs.ts'
import { approvals } from './schema.ts'

const codeMode = openTestCodeMode()
afterAll(() => codeMode.close())

/** A run with a yes to its only call, that nobody but the test drives. */
async function open() {
  const box = await openCodeMachines(codeMode)
  const { db } = box.pool
  const machine = await box.openMachine()
  const { requestId: runId, approvals: asked } = await machine.frozen(`await mcp.shop.buy({ what: 'x' })`)
  await machine.close()
  const approvalId = asked[0]?.id ?? ''
  await box.answer(approvalId, { decision: 'granted' })
  const frozen = await findCodeRun(db, runId)
  const { epoch } = (await takeCodeRun(db, frozen!, box.machineId))!
  const [made] = await callsOf(db, runId)
  const usedAt = async () =>
    (await db.select().from(approvals).where(eq(approvals.id, approvalId)))[0]?.usedAt?.getTime()
  return { db, driving: { runId, epoch }, made: { ...made!, approvalId }, usedAt }
}

const done = { status: 'done', outcome: { value: 1 }, place: 1 } as const

test('a yes is used by the statement that begins its call, and that may be said twice when its answer was lost', async () => {
  const { db, driving, made, usedAt } = await open()
  expect(await usedAt()).toBeUndefined()
  expect(await beginGranted(db, driving, made)).toBe(true)
  expect(await usedAt()).toBeGreaterThan(0)
  expect(await beginGranted(db, driving, made)).toBe(true)
  expect((await callsOf(db, driving.runId)).map(({ status }) => status)).toEqual(['begun'])
  // For another call it is none.
  expect(await beginGranted(db, driving, { ...made, call: 2 })).toBe(false)
  expect(await endCall(db, driving, { ...made, ...done })).toBe(true)
  expect(await beginGranted(db, driving, made)).toBe(false)
  expect(await beginCall(db, driving, made)).toBe(false)
  expect((await callsOf(db, driving.runId)).map(({ status }) => status)).toEqual(['done'])
})

test('whoever does not drive the run any more writes nothing, and uses no yes', async () => {
  const { db, driving, made, usedAt } = await open()
  const former = { ...driving, epoch: driving.epoch - 1 }
  expect(await beginGranted(db, former, made)).toBe(false)
  expect(await beginCall(db, former, { ...made, call: 2 })).toBe(false)
  expect(await endCall(db, former, { ...made, ...done })).toBe(false)
  expect(await unbeginCall(db, former, made.call)).toBe(false)
  expect(await usedAt()).toBeUndefined()
  expect(await callsOf(db, driving.runId)).toMatchObject([{ call: made.call, status: 'waiting' }])
})
