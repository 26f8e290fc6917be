import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import { approvals, codeImages, codeRuns } from '#db/schema.ts'
import { owner } from '#domain/access.ts'
import { openCodeMachines, openTestCodeMode } from '../../test/support/code/machine.ts'
import { removeOldCodeRuns } from './remove-old-code-runs.ts'

const codeMode = openTestCodeMode()
afterAll(() => codeMode.close())

const buy = `return (await mcp.shop.buy({ what: 'x' })).what`
const day = 24 * 60 * 60 * 1000

async function open() {
  const box = await openCodeMachines(codeMode)
  const machine = await box.openMachine()
  const begun = await box.begin()
  const { agentId } = await begun.row()
  const agent: Principal = {
    id: `agent:${agentId}`,
    kind: 'agent',
    name: 'git',
    scopes: ['code', 'tools'],
    agent: { agentId: agentId ?? '', sessionId: begun.sessionId, executionId: begun.id, onBehalfOf: 'owner' },
  }
  /** A run that was cancelled so many days ago. */
  async function ended(daysAgo: number, by: Principal = owner): Promise<string> {
    const { requestId } = await machine.frozen(buy, {}, by)
    expect(await machine.code.cancel(by, requestId)).toBe(true)
    const endedAt = new Date(Date.now() - daysAgo * day)
    await box.pool.db.update(codeRuns).set({ endedAt }).where(eq(codeRuns.id, requestId))
    return requestId
  }
  const left = async () => (await box.pool.db.select().from(codeRuns)).map(({ id }) => id)
  return { ...box, machine, agent, ended, left }
}

test('runs that ended long ago are removed with what they asked; others stay', async () => {
  const { pool, machine, ended, left } = await open()
  const [old, recent] = [await ended(31), await ended(29)]
  const { requestId: waiting } = await machine.frozen(buy)
  const ages = { createdAt: new Date(Date.now() - 365 * day) }
  await pool.db.update(codeRuns).set(ages)
  expect(await removeOldCodeRuns(pool, 30)).toBe(1)
  expect(await left()).toEqual(expect.arrayContaining([recent, waiting]))
  expect(await left()).not.toContain(old)
  const asked = await pool.db.select().from(approvals)
  expect(asked.map(({ codeRunId }) => codeRunId).toSorted()).toEqual([recent, waiting].toSorted())
})

test('what an agent’s code has asked stays in the ledger of its session', async () => {
  const { pool, agent, ended, left } = await open()
  await ended(31, agent)
  expect(await removeOldCodeRuns(pool, 30)).toBe(1)
  expect(await left()).toEqual([])
  expect(await pool.db.select().from(approvals)).toMatchObject([
    { tool: 'shop.buy', status: 'expired', codeRunId: null, sessionId: agent.agent?.sessionId },
  ])
})

test('an image goes when no run is frozen over it any more', async () => {
  const { pool, machine } = await open()
  const { requestId } = await machine.frozen(buy)
  await pool.db.update(codeImages).set({ createdAt: new Date(Date.now() - 365 * day) })
  const images = () => pool.db.$count(codeImages)
  await removeOldCodeRuns(pool, 30)
  expect(await images()).toBe(1)
  expect(await machine.code.cancel(owner, requestId)).toBe(true)
  await removeOldCodeRuns(pool, 30)
  expect(await images()).toBe(0)
})

test('an image that was stored only just now stays: a run may be about to be frozen over it', async () => {
  const { pool, ended } = await open()
  await ended(0)
  await removeOldCodeRuns(pool, 30)
  expect(await pool.db.$count(codeImages)).toBe(1)
})

test('many are removed piece by piece', async () => {
  const { pool, ended, left } = await open()
  const id = await ended(31)
  await pool.db.$client.query(
    `insert into code_runs (id, principal, created_by, machine_id, status, wanted, grants, result, ended_at)
     select gen_random_uuid(), principal, created_by, machine_id, status, wanted, grants, result, ended_at
     from code_runs, generate_series(1, 1001) where id = $1`,
    [id],
  )
  expect(await removeOldCodeRuns(pool, 30)).toBe(1_002)
  expect(await left()).toEqual([])
})
