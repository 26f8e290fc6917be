import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { BOARD_STREAM } from '#contract/event.ts'
import { approvals, audit, codeCalls, codeImages, codeRuns, users } from '#db/schema.ts'
import { owner } from '#domain/access.ts'
import { expireOverdue } from '#flows/expire-approvals.ts'
import { ada as adaWithoutTools } from '../../../test/support/asking.ts'
import { openCodeMachines, openTestCodeMode } from '../../../test/support/code/machine.ts'
import { untilOneWaits } from '../../../test/support/postgres-locks.ts'
import { bob as bobWithoutApprove } from '../../../test/support/registry.ts'

const codeMode = openTestCodeMode()
afterAll(() => codeMode.close())

const ada = { ...adaWithoutTools, scopes: ['code' as const, 'tools' as const, 'approve' as const] }
const bob = { ...bobWithoutApprove, scopes: [...bobWithoutApprove.scopes, 'approve' as const] }
const open = async () => {
  const box = await openCodeMachines(codeMode)
  return { ...box, machine: await box.openMachine() }
}

const yes = { decision: 'granted' }
const no = { decision: 'refused', reason: 'Not today' }
const buyAll = (...whats: string[]) => `
  const buy = (what: string) => mcp.shop.buy({ what }).then((got) => got.what, (error) => error.message)
  return await Promise.all(${JSON.stringify(whats)}.map(buy))`
const notToday =
  'shop.buy was not called, because a person has refused it: Not today. Do not try again unless you are asked to'

describe('a person’s own code', () => {
  test('goes on with the answer to what it asked, and is in the audit once', async () => {
    const { machine, shop, answer, pool, told } = await open()
    const waiting = await machine.frozen(
      `console.log('before'); const got = await mcp.shop.buy({ what: 'milk' }); console.log('after'); return got`,
    )
    expect(waiting.approvals).toMatchObject([{ tool: 'shop.buy', title: 'shop.buy' }])
    const id = waiting.approvals[0]?.id ?? ''
    expect(shop.calls).toEqual([])
    await answer(id, yes)
    const result = await machine.ended(waiting.requestId)
    expect(result).toMatchObject({
      success: true,
      result: { did: 'buy', what: 'milk' },
      logs: ['before', 'after'],
      metrics: { apiCalls: 1 },
    })
    expect(shop.calls).toEqual(['buy milk'])
    const rows = await pool.db.select().from(audit).where(eq(audit.kind, 'code'))
    expect(rows).toMatchObject([
      { actor: 'owner', outcome: 'ok', detail: { requestId: waiting.requestId, calls: 1 } },
    ])
    expect(rows[0]?.subject.length).toBeLessThanOrEqual(200)
    const events = (await told(BOARD_STREAM)).filter(({ type }) => type.startsWith('approval.'))
    expect(events).toMatchObject([
      {
        type: 'approval.asked',
        payload: { approval: { id, sessionId: null, codeRunId: waiting.requestId } },
      },
      { type: 'approval.answered', payload: { approval: { id, status: 'granted' }, by: 'owner' } },
    ])
    const [run] = await pool.db.select().from(codeRuns)
    expect(run).toMatchObject({ status: 'ended', memory: null, state: null })
    expect(await pool.db.select().from(codeCalls)).toEqual([])
  })

  test('asks several things at once, and hears the answers in any order', async () => {
    const { machine, shop, answer, pool } = await open()
    for (const order of ['abc', 'acb', 'bac', 'bca', 'cab', 'cba']) {
      const { requestId, approvals: asked } = await machine.frozen(buyAll('a', 'b', 'c'))
      expect(asked).toHaveLength(3)
      const rows = await pool.db.select().from(approvals).where(eq(approvals.codeRunId, requestId))
      for (const what of order) {
        const row = rows.find(({ input }) => (input as { what: string }).what === what)
        await answer(row?.id ?? '', what === 'b' ? no : yes)
      }
      expect((await machine.ended(requestId)).result).toEqual(['a', notToday, 'c'])
      expect(shop.calls.splice(0).toSorted()).toEqual(['buy a', 'buy c'])
    }
    expect(await pool.db.select({ hash: codeImages.hash }).from(codeImages)).toHaveLength(1)
  })

  test('asks twice when it does the same twice, and each yes is for one call', async () => {
    const { machine, shop, answer } = await open()
    const { requestId, approvals: asked } = await machine.frozen(buyAll('egg', 'egg'))
    expect(asked).toHaveLength(2)
    await answer(asked[0]?.id ?? '', yes)
    await expect.poll(() => shop.calls, { timeout: 20_000 }).toEqual(['buy egg'])
    await answer(asked[1]?.id ?? '', no)
    expect((await machine.ended(requestId)).result).toEqual(expect.arrayContaining(['egg', notToday]))
    expect(shop.calls).toEqual(['buy egg'])
  })

  test('does all else that it can before it waits', async () => {
    const { machine, shop, answer } = await open()
    const { requestId, approvals: asked } = await machine.frozen(`
      const first = mcp.shop.buy({ what: 'one' })
      const later = (async () => {
        await mcp.shop.look({ what: 'shelf' })
        await new Promise<void>((resolve) => setTimeout(resolve, 30))
        return mcp.shop.buy({ what: 'two' })
      })()
      return (await Promise.all([first, later])).map((got) => got.what)`)
    expect(asked).toHaveLength(2)
    expect(shop.calls).toEqual(['look shelf'])
    for (const { id } of asked) await answer(id, yes)
    expect((await machine.ended(requestId)).result).toEqual(['one', 'two'])
    expect(shop.calls.toSorted()).toEqual(['buy one', 'buy two', 'look shelf'])
  })

  test('waits again and again', async () => {
    const { machine, shop, answer } = await open()
    const { requestId } = await machine.frozen(`
      const got = []
      for (const what of ['1', '2', '3']) got.push((await mcp.shop.buy({ what })).what)
      return got`)
    const heard: string[] = []
    const result = machine.code.ended({ id: 'owner', kind: 'owner', name: 'Owner', scopes: [] }, requestId, {
      signal: AbortSignal.timeout(60_000),
      onWaiting({ approvals: asked }) {
        for (const { id } of asked) {
          heard.push(id)
          void answer(id, yes)
        }
      },
    })
    expect((await result).result).toEqual(['1', '2', '3'])
    expect(shop.calls).toEqual(['buy 1', 'buy 2', 'buy 3'])
    expect(new Set(heard).size).toBe(3)
  })

  test('hears that nobody has answered in time', async () => {
    const { machine, pool } = await open()
    const { requestId, approvals: asked } = await machine.frozen(buyAll('late'))
    const past = { expiresAt: new Date(Date.now() - 1_000) }
    await pool.db
      .update(approvals)
      .set(past)
      .where(eq(approvals.id, asked[0]?.id ?? ''))
    await expireOverdue(pool)
    expect((await machine.ended(requestId)).result).toEqual([
      'shop.buy was not called: Nobody answered in time',
    ])
  })

  test('is ended while it waits, and nobody can say yes to it any more', async () => {
    const { machine, shop, answer, as, pool } = await open()
    const { requestId, approvals: asked } = await machine.frozen(buyAll('x'))
    expect(await machine.code.cancel(bob, requestId)).toBe(false)
    expect(await machine.code.cancel(owner, requestId)).toBe(true)
    expect(await machine.code.cancel(owner, requestId)).toBe(false)
    expect(await machine.ended(requestId)).toMatchObject({
      success: false,
      error: { message: 'It was cancelled', details: { cancelled: true } },
    })
    expect((await answer(asked[0]?.id ?? '', yes)).body.error.code).toBe('approval_expired')
    expect((await as(bob, 'GET', `/approvals/${asked[0]?.id}`)).status).toBe(404)
    expect(shop.calls).toEqual([])
    expect(await pool.db.select().from(audit).where(eq(audit.kind, 'code'))).toMatchObject([
      { outcome: 'failed' },
    ])
  })

  test('asks again when the tool is not what it was when somebody said yes', async () => {
    const { machine, shop, answer, call } = await open()
    const { requestId, approvals: asked } = await machine.frozen(buyAll('x'))
    shop.putInto(machine.registry, 'Buys, and tells everybody')
    await answer(asked[0]?.id ?? '', yes)
    const waits = async () => (await call('GET', '/approvals?status=waiting')).body.data
    await expect.poll(waits, { timeout: 20_000 }).toHaveLength(1)
    const [again] = await waits()
    expect(again).toMatchObject({
      title: 'shop.buy, whose definition has changed since it was accepted',
      codeRunId: requestId,
    })
    expect(shop.calls).toEqual([])
    await answer(again.id, yes)
    expect((await machine.ended(requestId)).result).toEqual(['x'])
    expect(shop.calls).toEqual(['buy x'])
  })

  test('does not ask when they have said yes beforehand, nor when a rule allows it', async () => {
    const { machine, shop, call } = await open()
    expect(await machine.result(buyAll('x'), { confirm: true })).toMatchObject({ result: ['x'] })
    const rule = (tool: string, effect: string) => call('POST', '/policies/rules', { tool, effect })
    expect((await rule('shop.buy', 'allow')).status).toBe(201)
    expect(await machine.result(buyAll('y'))).toMatchObject({ result: ['y'] })
    expect(shop.calls).toEqual(['buy x', 'buy y'])
  })

  test('is refused what a rule refuses, and asks what a rule wants asked', async () => {
    const { machine, shop, call } = await open()
    await call('POST', '/policies/rules', { tool: 'shop.give', effect: 'deny' })
    await call('POST', '/policies/rules', { tool: 'shop.look', effect: 'ask' })
    const denied = await machine.result(`return await mcp.shop.give({ what: 'x' })`, { confirm: true })
    expect(denied).toMatchObject({
      success: false,
      error: { type: 'mcp', code: 'MCP_ERROR', message: expect.stringContaining('a rule has refused it') },
    })
    expect((await machine.frozen(`return await mcp.shop.look({ what: 'x' })`)).approvals).toHaveLength(1)
    expect(shop.calls).toEqual([])
  })

  test('calls no tools for whoever lost the scope for it while it waited', async () => {
    const { machine, pool, as, shop } = await open()
    await pool.db.insert(users).values({ id: ada.id, name: 'Ada', scopes: ['code', 'tools', 'approve'] })
    const { requestId, approvals: asked } = await machine.frozen(buyAll('x'), {}, ada)
    await pool.db.update(users).set({ scopes: ['code', 'approve'] })
    expect((await as(ada, 'POST', `/approvals/${asked[0]?.id}`, yes)).status).toBe(200)
    expect(await machine.ended(requestId, ada)).toMatchObject({
      result: [expect.stringContaining('that needs the scope tools')],
    })
    expect(shop.calls).toEqual([])
  })

  test('gets as much memory as there is, and no more is asked for in silence', async () => {
    const { machine } = await open()
    await expect(machine.result('return 1', { memoryLimit: 1024 ** 4 })).rejects.toMatchObject({
      code: 'does_not_fit',
      message: expect.stringContaining('sandbox.limits.memory'),
    })
  })

  test('is theirs alone: others do not see it, and they answer it themselves', async () => {
    const { machine, as, pool } = await open()
    await pool.db.insert(users).values({ id: ada.id, name: 'Ada', scopes: ['code', 'tools', 'approve'] })
    const { requestId, approvals: asked } = await machine.frozen(buyAll('x'), {}, ada)
    const path = `/approvals/${asked[0]?.id}`
    expect((await as(bob, 'GET', path)).status).toBe(404)
    expect((await as(bob, 'POST', path, yes)).status).toBe(404)
    expect((await as(bob, 'GET', '/approvals?status=waiting')).body.data).toEqual([])
    await expect(machine.ended(requestId, bob)).rejects.toMatchObject({ code: 'code_run_not_found' })
    expect((await as(ada, 'GET', '/approvals?status=waiting')).body.data).toMatchObject([
      { agentName: 'Ada', sessionId: null, executionId: null, codeRunId: requestId, position: 1, total: 1 },
    ])
    const remembered = await as(ada, 'POST', path, { ...yes, remember: true })
    expect(remembered.body.error.context.fields[0].reason).toContain('no agent whom a rule would be for')
    expect((await as(ada, 'POST', path, yes)).status).toBe(200)
    expect((await machine.ended(requestId, ada)).result).toEqual(['x'])
  })

  test('ends when the user whose it is may not run code any more, and calls nothing', async () => {
    const { machine, shop, answer, pool } = await open()
    await pool.db.insert(users).values({ id: ada.id, name: 'Ada', scopes: ['code', 'tools', 'approve'] })
    const { requestId, approvals: asked } = await machine.frozen(buyAll('x'), {}, ada)
    await pool.db
      .update(users)
      .set({ scopes: ['approve'] })
      .where(eq(users.id, ada.id))
    expect((await answer(asked[0]?.id ?? '', yes)).status).toBe(200)
    expect(await machine.ended(requestId)).toMatchObject({
      success: false,
      error: { message: 'Ada, who ran this, may not run code any more', details: { cancelled: true } },
    })
    expect(shop.calls).toEqual([])
    expect(await pool.db.select().from(audit).where(eq(audit.kind, 'code'))).toMatchObject([
      { actor: ada.id, outcome: 'failed' },
    ])
  })

  test('is refused more than it may reach, and that is in the audit', async () => {
    const { machine, pool } = await open()
    const result = await machine.result('return 1', { capabilities: ['network:example.com'] }, bob)
    expect(result).toMatchObject({ error: { type: 'security', code: 'CAPABILITY_VIOLATION' } })
    expect(await pool.db.select().from(audit)).toMatchObject([{ kind: 'code', outcome: 'refused' }])
  })

  test('ends with whoever ran it, unless it waits for a person', async () => {
    const { machine, shop } = await open()
    shop.hold('gate')
    const left = new AbortController()
    const running = machine.code.execute(
      { id: 'owner', kind: 'owner', name: 'Owner', scopes: [] },
      {
        code: `return await mcp.shop.give({ what: 'gate' })`,
        typescript: true,
        check: false,
        capabilities: ['mcp:*'],
      },
      { signal: left.signal },
    )
    await expect.poll(() => shop.calls, { timeout: 20_000 }).toEqual(['give gate'])
    left.abort()
    expect(await running).toMatchObject({ result: { error: { details: { cancelled: true } } } })
  })
})

describe('putting a run away', () => {
  test('happens with its questions, or not at all', async () => {
    const { machine, pool, told } = await open()
    await pool.db.$client.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'not today'; end $$;
      create trigger refuse before insert on code_calls execute function refuse()`)
    const result = await machine.result(buyAll('x'))
    expect(result).toMatchObject({
      success: false,
      error: { message: expect.stringContaining('went wrong') },
    })
    for (const table of [approvals, codeRuns, codeImages]) expect(await pool.db.$count(table)).toBe(0)
    expect((await told(BOARD_STREAM)).filter(({ type }) => type.startsWith('approval.'))).toEqual([])
  })

  test('waits for a database that goes away meanwhile, and happens once', async () => {
    const { machine, pool, answer, shop } = await open()
    const locked = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    const locking = pool.transaction(async (tx) => {
      await tx.$client.query('lock table code_runs in exclusive mode')
      locked.resolve()
      await free.promise
    })
    await locked.promise
    const freezing = machine.frozen(buyAll('x'))
    for (let times = 0; times < 3; times += 1) {
      await untilOneWaits(pool)
      await pool.db.$client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      )
    }
    free.resolve()
    await locking
    const { requestId, approvals: asked } = await freezing
    expect(asked).toHaveLength(1)
    for (const table of [approvals, codeRuns, codeCalls]) expect(await pool.db.$count(table)).toBe(1)
    await answer(asked[0]?.id ?? '', yes)
    expect((await machine.ended(requestId)).result).toEqual(['x'])
    expect(shop.calls).toEqual(['buy x'])
  })

  test('waits in the same way when it is put away for the second time', async () => {
    const { machine, pool, answer, shop } = await open()
    const code = `return [await mcp.shop.buy({ what: '1' }), await mcp.shop.buy({ what: '2' })].map((got) => got.what)`
    const { requestId, approvals: asked } = await machine.frozen(code)
    shop.hold('1')
    await answer(asked[0]?.id ?? '', yes)
    await expect.poll(() => shop.calls, { timeout: 20_000 }).toEqual(['buy 1'])
    const locked = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    const locking = pool.transaction(async (tx) => {
      // Calls are written down, and nothing is asked.
      await tx.$client.query('lock table approvals in exclusive mode')
      locked.resolve()
      await free.promise
    })
    await locked.promise
    shop.release('1')
    await untilOneWaits(pool)
    await pool.db.$client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    free.resolve()
    await locking
    const waits = () => pool.db.select().from(approvals).where(eq(approvals.status, 'waiting'))
    await expect.poll(waits, { timeout: 20_000 }).toHaveLength(1)
    const [again] = await waits()
    await answer(again?.id ?? '', yes)
    expect((await machine.ended(requestId)).result).toEqual(['1', '2'])
    expect(shop.calls).toEqual(['buy 1', 'buy 2'])
  })
})
