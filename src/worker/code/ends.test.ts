import { eq } from 'drizzle-orm'
import { Client } from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { notAdmitted } from '#codemode/errors.ts'
import { overAlready } from '#codemode/unchecked-run.ts'
import { approvals, audit, codeRuns, users } from '#db/schema.ts'
import { owner } from '#domain/access.ts'
import { mostWaitingBytes, mostWaitingRuns, whyNoRoom } from '#domain/code-run.ts'
import { ada as adaWithoutTools } from '../../../test/support/asking.ts'
import { openCodeMachines, openTestCodeMode } from '../../../test/support/code/machine.ts'

// How runs end that do not come to their own end, and what is kept of those that wait.

const codeMode = openTestCodeMode()
afterAll(() => codeMode.close())

const open = async () => {
  const box = await openCodeMachines(codeMode)
  return { ...box, machine: await box.openMachine() }
}

const ada = { ...adaWithoutTools, scopes: ['code' as const, 'tools' as const, 'approve' as const] }
const user = { id: ada.id, name: 'Ada', scopes: ada.scopes }
const yes = { decision: 'granted' }
const patient = { timeout: 20_000 }
const buy = `return (await mcp.shop.buy({ what: 'x' })).what`

test('its memory is read by nobody but who takes it up', async () => {
  const { machine, pool, as } = await open()
  await pool.db.insert(users).values(user)
  const queries = vi.spyOn(Client.prototype, 'query')
  const [first, second] = [await machine.frozen(buy, {}, ada), await machine.frozen(buy, {}, ada)]
  const ended = machine.ended(first.requestId, ada)
  expect((await as(ada, 'POST', `/approvals/${first.approvals[0]?.id}`, yes)).status).toBe(200)
  expect((await ended).result).toBe('x')
  expect(await machine.code.cancel(ada, second.requestId)).toBe(true)
  const texts = queries.mock.calls.map(([query]: unknown[]) => textOf(query))
  queries.mockRestore()
  const reading = texts.filter((text) => /(select|returning)[^;]*"memory"(?!\))/.test(text))
  expect(new Set(reading.map((text) => text.slice(0, 30)))).toEqual(
    new Set(['update "code_runs" set "machin']),
  )
  expect(texts.filter((text) => text.includes('code_runs')).length).toBeGreaterThan(5)
})

const textOf = (query: unknown): string =>
  typeof query === 'string'
    ? query
    : typeof query === 'object' && query !== null && 'text' in query
      ? String(query.text)
      : ''

test('a machine closes although a run is in its hands whose call is under way', async () => {
  const own = openTestCodeMode()
  const { openMachine, shop } = await openCodeMachines(own)
  const machine = await openMachine(undefined, 300, { endsThreads: true })
  shop.hold('gate')
  const result = machine.result(
    `const asked = mcp.shop.buy({ what: 'x' })
     await mcp.shop.look({ what: 'y' })
     for (const until = Date.now() + 700; Date.now() < until; ) {}
     await mcp.shop.give({ what: 'gate' })
     return asked`,
    { capabilities: ['mcp:*', 'system:time'] },
  )
  await expect.poll(() => shop.calls, patient).toContain('give gate')
  const closing = machine.close()
  shop.release('gate')
  await closing
  expect(await result).toMatchObject({ success: false, error: { message: expect.stringMatching(/stopped/) } })
})

test('no more runs wait than there is room for, by number and by size', async () => {
  const { machine, pool } = await open()
  const { requestId } = await machine.frozen(buy)
  await pool.db.$client.query(
    `insert into code_runs (id, principal, created_by, machine_id, status, wanted, grants, memory)
     select gen_random_uuid(), principal, created_by, machine_id, status, wanted, grants, memory
     from code_runs, generate_series(1, $2) where id = $1`,
    [requestId, mostWaitingRuns - 2],
  )
  const { requestId: last } = await machine.frozen(buy)
  expect(await machine.result(buy)).toMatchObject({
    success: false,
    error: {
      type: 'runtime',
      code: 'RUNTIME_ERROR',
      message: expect.stringMatching(
        /no room .*: 1000 runs with [1-9]\d* MB wait already.*signalbox ls approvals/,
      ),
    },
    metrics: { apiCalls: 1 },
  })
  expect(await pool.db.$count(approvals)).toBe(2)
  // Others have their own room.
  await pool.db.insert(users).values(user)
  await machine.frozen(buy, {}, ada)
  expect(await machine.code.cancel(owner, last)).toBe(true)
  await machine.frozen(buy)

  const half = { runs: 1, bytes: mostWaitingBytes / 2 }
  expect(whyNoRoom(half, mostWaitingBytes / 2)).toBeUndefined()
  expect(whyNoRoom(half, mostWaitingBytes / 2 + 1)).toContain('at most 1000 with 1024 MB may')
})

test('it is told what a run had used that was cancelled while it waits, and it is counted', async () => {
  const { machine, pool } = await open()
  // A kernel may count the time of a thread in steps of 4 ms: it works for longer than that.
  const works = 'let sum = 0; for (let i = 0; i < 1_000_000; i++) sum += i;'
  const { requestId } = await machine.frozen(`${works} await mcp.shop.look({ what: 'y' }); ${buy}`)
  expect(await machine.code.cancel(owner, requestId)).toBe(true)
  const { metrics } = await machine.ended(requestId)
  expect(metrics).toMatchObject({ apiCalls: 2 })
  for (const used of [metrics.executionTime, metrics.cpuTime, metrics.memoryUsed])
    expect(used).toBeGreaterThan(0)
  expect(await pool.db.select().from(audit).where(eq(audit.kind, 'code'))).toMatchObject([
    { detail: { calls: 2 } },
  ])
  await expect
    .poll(() => machine.code.metrics(), patient)
    .toMatch(/signalbox_code_runs_total\{.*outcome="runtime".*\} 1\n/)
})

test('a run that ends by itself after it has waited is counted once', async () => {
  const { machine, answer } = await open()
  const { requestId, approvals: asked } = await machine.frozen(buy)
  await answer(asked[0]?.id ?? '', yes)
  await machine.ended(requestId)
  await expect
    .poll(() => machine.code.metrics(), patient)
    .toMatch(/signalbox_code_runs_total\{.*outcome="ok".*\} 1\n/)
  expect(await machine.code.metrics()).not.toMatch(/outcome="runtime"/)
})

test.each(['a\0b', 'a\uD800b'])(
  'a name that cannot be written down is an error that code can catch',
  async (name) => {
    const { machine, answer } = await open()
    const call = `mcp[${JSON.stringify(name)}].x().catch((error) => [error.type, error.code])`
    const { requestId, approvals: asked } = await machine.frozen(
      `const before = await ${call}; await mcp.shop.buy({ what: 'a\\0b' }); return [before, await ${call}]`,
      { check: false },
    )
    await answer(asked[0]?.id ?? '', yes)
    const failed = ['mcp', 'MCP_ERROR']
    expect(await machine.ended(requestId)).toMatchObject({ result: [failed, failed] })
  },
)

test('code cannot say of itself that it was not run, nor that it has done what it must not', async () => {
  const { machine, pool } = await open()
  const result = await machine.execute(
    `throw Object.assign(new Error('no'), {
       kind: 'timeout', type: 'timeout', code: 'EXECUTION_TIMEOUT', details: { limit: 'queue' } })`,
  )
  expect(result).toMatchObject({
    result: { error: { type: 'runtime', code: 'RUNTIME_ERROR', message: 'no' } },
  })
  expect(result).not.toHaveProperty('isNotBegun')
  const changed = await machine.result(
    `try { await mcp.shop.nothing({}) } catch (error) {
       for (const [name, value] of Object.entries({ kind: 'security', type: 'security', code: 'CAPABILITY_VIOLATION', details: { a: 1 } }))
         try { Object.defineProperty(error, name, { value }) } catch {}
       throw error
     }`,
    { check: false },
  )
  expect(changed.error).toMatchObject({ type: 'mcp', code: 'MCP_ERROR' })
  expect(changed.error?.details).not.toHaveProperty('a')
  const rows = await pool.db.select().from(audit).where(eq(audit.kind, 'code'))
  expect(rows.map(({ outcome }) => outcome)).toEqual(['failed', 'failed'])
})

test('of a run that never got its turn it is said that nothing of it was run', async () => {
  const full = { ...codeMode, run: () => overAlready(notAdmitted('others keep all threads busy')) }
  const { openMachine } = await openCodeMachines(full)
  const machine = await openMachine()
  expect(await machine.execute('return 1')).toMatchObject({
    isNotBegun: true,
    result: { error: { code: 'EXECUTION_TIMEOUT', message: expect.stringContaining('It has not begun') } },
  })
})

/** From now on putting a run away fails with this code of Postgres. */
const failWith = (code: string) => `
  create function fail() returns trigger language plpgsql as $$ begin raise 'not now' using errcode = '${code}'; end $$;
  create trigger fail before insert on code_runs execute function fail()`

test('what the database takes too long for is not tried for ever', async () => {
  const { machine, pool } = await open()
  await pool.db.$client.query(failWith('57014'))
  expect(await machine.result(buy)).toMatchObject({
    success: false,
    error: { message: expect.stringContaining('takes too long') },
    metrics: { apiCalls: 1 },
  })
})

test('a run that waits for a database that is away is cancelled, and a machine closes', async () => {
  const { machine, openMachine, pool } = await open()
  await pool.db.$client.query(failWith('57P03'))
  const queries = vi.spyOn(Client.prototype, 'query')
  const untilTried = async (times: number) => {
    const tries = () =>
      queries.mock.calls.filter(([query]: unknown[]) => textOf(query).startsWith('insert into "code_runs"'))
    await expect.poll(() => tries().length, patient).toBeGreaterThanOrEqual(times)
    queries.mockClear()
  }
  const ears = (requestId: string) => ({ signal: AbortSignal.timeout(60_000), requestId })
  const wanted = { code: buy, typescript: true, check: false, capabilities: ['mcp:*'] }
  const id = machine.newId()
  const first = machine.code.execute(owner, wanted, ears(id))
  await untilTried(2)
  expect(await machine.code.cancel(owner, id)).toBe(true)
  expect(await first).toMatchObject({ result: { error: { message: 'It was cancelled' } } })

  const other = await openMachine()
  const second = other.code.execute(owner, wanted, ears(other.newId())).catch((error: unknown) => error)
  await untilTried(2)
  await other.close()
  expect(await second).toMatchObject({ message: expect.stringContaining('Signalbox was stopped') })
  queries.mockRestore()
  await pool.db.$client.query('drop trigger fail on code_runs')
  expect(await pool.db.select().from(codeRuns)).toEqual([])
})
