import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { findExecution } from '#db/executions.ts'
import type { DatabasePool } from '#db/pool.ts'
import { events, executions } from '#db/schema.ts'
import { seedExecution } from '../../test/support/execution-rows.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { removeOldOutput } from './remove-old-output.ts'

const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000)
const typesOf = async (pool: DatabasePool, id: string) =>
  (await pool.db.select({ type: events.type }).from(events).where(eq(events.executionId, id))).map(
    ({ type }) => type,
  )
const removedAt = async (pool: DatabasePool, id: string) =>
  (await findExecution(pool.db, id))?.outputRemovedAt

test('old output goes, and nothing else: not what is young, not what lives, not the history', async () => {
  const pool = await freshPool()
  const old = await seedExecution(pool, { endedAt: daysAgo(31) })
  const young = await seedExecution(pool, { sessionId: old.sessionId, endedAt: daysAgo(29) }).catch(
    () => undefined,
  )
  expect(young).toBeUndefined() // one live execution per session
  await old.say(['stdout', 'a'], ['stderr', 'b'])
  await old.end()
  const next = await seedExecution(pool, { sessionId: old.sessionId, endedAt: daysAgo(29) })
  await next.say(['stdout', 'c'])
  await next.end()
  const live = await seedExecution(pool, { sessionId: old.sessionId })
  await live.say(['stdout', 'd'])
  await pool.db.update(executions).set({ createdAt: daysAgo(90), startedAt: daysAgo(90) })

  expect(await removeOldOutput(pool, 30)).toBe(2)
  expect(await typesOf(pool, old.id)).toEqual(['data-status'])
  expect(await removedAt(pool, old.id)).toBeInstanceOf(Date)
  expect(await typesOf(pool, next.id)).toEqual(['data-terminal', 'data-status'])
  expect(await typesOf(pool, live.id)).toEqual(['data-terminal'])
  expect([await removedAt(pool, next.id), await removedAt(pool, live.id)]).toEqual([null, null])
  expect(await removeOldOutput(pool, 30)).toBe(0)
})

test('cut short after any batch it has told so, and goes on the next time', async () => {
  const pool = await freshPool()
  const old = await seedExecution(pool, { endedAt: daysAgo(31) })
  for (let n = 0; n < 5; n++)
    await old.say(...Array.from({ length: 1_000 }, (): ['stdout', string] => ['stdout', 'x']))
  await old.end()
  const cut = new AbortController()
  const first = {
    db: pool.db,
    transaction: async <Result>(work: Parameters<typeof pool.transaction<Result>>[0]) => {
      const result = await pool.transaction(work)
      cut.abort()
      return result
    },
  }
  expect(await removeOldOutput(first, 30, { signal: cut.signal })).toBe(2_000)
  expect(await removedAt(pool, old.id)).toBeInstanceOf(Date)
  expect(await removeOldOutput(pool, 30)).toBe(3_000)
  expect(await typesOf(pool, old.id)).toEqual(['data-status'])
})
