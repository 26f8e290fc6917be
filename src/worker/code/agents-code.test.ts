import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import { approvals, codeRuns } from '#db/schema.ts'
import { newId } from '#lib/id.ts'
import { openCodeMachines, openTestCodeMode } from '../../../test/support/code/machine.ts'

const codeMode = openTestCodeMode()
afterAll(() => codeMode.close())

const yes = { decision: 'granted' }
const patient = { timeout: 20_000 }
const buy = `return (await mcp.shop.buy({ what: 'x' })).what`

/** An agent in the middle of a turn, that runs code. */
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
  return { ...box, ...begun, machine, agent }
}

test('what an agent’s code asks is in its session, and its time stands still', async () => {
  const { machine, agent, told, answers, row, answer, id, sessionId, shop } = await open()
  const { requestId, approvals: asked } = await machine.frozen(buy, { confirm: true }, agent)
  expect(await row()).toMatchObject({ waitingApprovals: 1 })
  expect(await answers()).toMatchObject([{ type: 'hold' }])
  const approvalId = asked[0]?.id ?? ''
  expect((await told(sessionId)).at(-1)).toMatchObject({
    type: 'tool-approval-request',
    executionId: id,
    payload: { approvalId, tool: 'shop.buy' },
  })
  await answer(approvalId, yes)
  expect((await machine.ended(requestId, agent)).result).toBe('x')
  expect(await answers()).toMatchObject([{ type: 'hold' }, { type: 'go_on' }])
  expect(await row()).toMatchObject({ waitingApprovals: 0 })
  expect(shop.calls).toEqual(['buy x'])
})

test('its runs end with its turn, whether they wait or run', async () => {
  const { machine, agent, end, pool, shop } = await open()
  const { requestId } = await machine.frozen(buy, {}, agent)
  shop.hold('gate')
  await pool.db.$client.query(
    `insert into policy_rules (id, tool, effect, created_by) values ($1, 'shop.give', 'allow', 'owner')`,
    [newId()],
  )
  const running = machine.execute(`return await mcp.shop.give({ what: 'gate' })`, {}, agent)
  await expect.poll(() => shop.calls, patient).toEqual(['give gate'])
  await end()
  const over = {
    success: false,
    error: { message: 'The turn of the agent that ran this is over' },
    metrics: { apiCalls: 1 },
  }
  expect(await machine.ended(requestId, agent)).toMatchObject(over)
  expect(await running).toMatchObject({ result: over })
  const asked = await pool.db.select().from(approvals).where(eq(approvals.codeRunId, requestId))
  expect(asked).toMatchObject([{ status: 'expired' }])
})

test('nothing is put away for a turn that is over', async () => {
  const { machine, agent, end, pool } = await open()
  await end()
  const result = await machine.result(buy, {}, agent)
  // By the bell that rings with the end of the turn, or when it is put away: whichever is first.
  expect(result).toMatchObject({ success: false, error: { message: expect.stringContaining('is over') } })
  expect(await pool.db.$count(codeRuns)).toBe(0)
})

test('a yes to its code is none to the same call by itself', async () => {
  const { machine, agent, answer, shop, call } = await open()
  const { requestId, approvals: asked } = await machine.frozen(
    `await new Promise<void>((resolve) => setTimeout(resolve, 1)); ${buy}`,
    {},
    agent,
  )
  const { agentId, sessionId, executionId, onBehalfOf } = agent.agent!
  const caller = {
    kind: 'agent' as const,
    id: agent.id,
    agentId,
    agentName: 'git',
    allowedTools: [],
    sessionId,
    executionId: executionId ?? '',
    onBehalfOf,
  }
  const alone = new AbortController()
  const direct = machine.registry.call(caller, 'shop.buy', { what: 'x' }, { signal: alone.signal })
  const refused = direct.catch((error: unknown) => error)
  const waits = async () => (await call('GET', '/approvals?status=waiting')).body.data.length
  await expect.poll(waits, patient).toBe(2)
  await answer(asked[0]?.id ?? '', yes)
  expect((await machine.ended(requestId, agent)).result).toBe('x')
  expect(shop.calls).toEqual(['buy x'])
  alone.abort()
  expect(await refused).toMatchObject({ reason: 'cancelled' })
})

test('it has its code checked against its own tools, in its own session', async () => {
  const { machine, agent, sessionId } = await open()
  const signal = AbortSignal.timeout(20_000)
  const check = (code: string, session?: string) =>
    machine.code.check(agent, { code, ...(session && { sessionId: session }) }, signal)
  expect(await check(buy, sessionId)).toEqual({ diagnostics: [] })
  expect(await check('return mcp.shop.steal()')).toMatchObject({ diagnostics: [{ line: 1, column: 17 }] })
  await expect(check(buy, newId())).rejects.toMatchObject({ code: 'session_not_found' })
})
