import { eq } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import { one } from '#contract/answer.ts'
import { Overview } from '#contract/overview.ts'
import { Spend } from '#contract/spend.ts'
import { Tracks } from '#contract/track.ts'
import { approvals, events, executions, sessions } from '#db/schema.ts'
import type { DatabasePool } from '#db/pool.ts'
import { asPrincipal, owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { bareApp, serveApp } from '../../test/support/bare-app.ts'
import { seedExecution } from '../../test/support/execution-rows.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { overviewRoutes } from './overview.ts'
import { spendRoutes } from './spend.ts'
import { tracksRoutes } from './tracks.ts'

const her = asPrincipal({ id: 'her', name: 'Her', scopes: ['board'] })

async function serve() {
  const pool = await freshPool()
  const app = bareApp()
  let caller: Principal = owner
  app.use(async (c, next) => {
    c.set('principal', caller)
    await next()
  })
  for (const routes of [tracksRoutes, overviewRoutes, spendRoutes]) app.route('/', routes({ pool }))
  const served = await serveApp(app)
  onTestFinished(() => served.close())
  const ask = (path: string, as: Principal = owner) => {
    caller = as
    return fetch(served.url + path)
  }
  const answer = async (path: string, as?: Principal): Promise<unknown> => (await ask(path, as)).json()
  return {
    pool,
    ask,
    tracks: async (query = '', as?: Principal) => one(Tracks).parse(await answer(`/tracks${query}`, as)).data,
    overview: async (as?: Principal) => one(Overview).parse(await answer('/overview', as)).data,
    spend: async (query = '', as?: Principal) =>
      one(Spend).parse(await answer(`/usage/spend${query}`, as)).data,
  }
}

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
type Times = Partial<Pick<typeof executions.$inferSelect, 'createdAt' | 'startedAt' | 'endedAt' | 'status'>>
const change = (pool: DatabasePool, id: string, row: Partial<typeof executions.$inferSelect>) =>
  pool.db.update(executions).set(row).where(eq(executions.id, id))

/** A turn of a session of its own that began so many minutes ago, and ended or not. */
async function turn(pool: DatabasePool, from: number, to: number | null, more: Times & { by?: string } = {}) {
  const { by = 'owner', ...row } = more
  const seeded = await seedExecution(pool, { createdBy: by })
  const ended = to === null ? {} : { endedAt: ago(to), status: 'succeeded' as const }
  await change(pool, seeded.id, { createdAt: ago(from), startedAt: ago(from), ...ended, ...row })
  return seeded
}

async function callTool(pool: DatabasePool, sessionId: string, ...minutes: number[]): Promise<void> {
  const rows = minutes.map((minute, index) => ({
    streamId: sessionId,
    seq: index + 1_000,
    type: 'tool-input-available',
    payload: {},
    at: ago(minute),
  }))
  await pool.db.insert(events).values(rows)
}

async function question(pool: DatabasePool, turned: { id: string; sessionId: string }, more: object = {}) {
  const row = {
    id: newId(),
    sessionId: turned.sessionId,
    executionId: turned.id,
    requestId: newId(),
    kind: 'tool' as const,
    tool: 'Bash',
    title: 'Run it',
    input: {},
    inputHash: '',
    readOnly: false,
    danger: 1,
    options: [],
    askedAt: ago(5),
    expiresAt: ago(-5),
    ...more,
  }
  await pool.db.insert(approvals).values(row)
}

test('tells what each session did: those under way first, with what was asked and when tools were called', async () => {
  const { pool, tracks } = await serve()
  const ended = await turn(pool, 20, 10)
  const live = await turn(pool, 8, null)
  await turn(pool, 90, 40)
  await question(pool, live)
  await question(pool, live, { askedAt: ago(6), status: 'granted', answeredBy: 'policy', answeredAt: ago(4) })
  await callTool(pool, live.sessionId, 50, 7.5, 7, 6)
  const answer = await tracks()
  expect(answer.total).toBe(2)
  expect(answer.tracks.map(({ sessionId, state }) => [sessionId, state])).toEqual([
    [live.sessionId, 'waits'],
    [ended.sessionId, 'idle'],
  ])
  const [first] = answer.tracks
  expect(first?.spans.map(({ state }) => state)).toEqual(['working', 'waits'])
  expect(first?.marks.map(({ kind }) => kind)).toEqual(['asked'])
  expect(first?.calls.map((ms) => Math.round(30 - ms / 60_000 - 0.1))).toEqual([7, 7, 6])
})

test('is also the history, and tells it as it was then', async () => {
  const { pool, tracks } = await serve()
  const old = await turn(pool, 200, 150, { status: 'failed' })
  await turn(pool, 3, null)
  const then = await tracks(`?minutes=60&until=${ago(140).toISOString()}`)
  expect(then.tracks.map(({ sessionId, state }) => [sessionId, state])).toEqual([[old.sessionId, 'failed']])
  expect(Date.parse(then.until) - Date.parse(then.from)).toBe(3_600_000)
  const before = await tracks(`?minutes=10&until=${ago(160).toISOString()}`)
  expect(before.tracks.map(({ state }) => state)).toEqual(['working'])
  expect((await tracks(`?until=${ago(-60).toISOString()}`)).tracks).toHaveLength(1)
})

test('calls that cannot be told apart are one, and those that are known are left out', async () => {
  const { pool, tracks } = await serve()
  const { sessionId } = await turn(pool, 29, null)
  const everySecond = Array.from({ length: 1_200 }, (_, second) => 25 - second / 60)
  await callTool(pool, sessionId, ...everySecond)
  const all = (await tracks()).tracks[0]?.calls ?? []
  expect(all.length).toBeGreaterThan(230)
  expect(all.length).toBeLessThanOrEqual(270)
  expect(all.slice(1).every((ms, index) => ms - (all[index] ?? 0) >= 4_500)).toBe(true)
  const few = (await tracks(`?callsAfter=${ago(6).toISOString()}`)).tracks[0]?.calls ?? []
  expect([few.length > 5, few.length < 20]).toEqual([true, true])
  expect(Math.min(...few)).toBeGreaterThan(23.9 * 60_000)
})

test('others see their own sessions, and nobody those in the trash', async () => {
  const { pool, tracks, overview, spend, ask } = await serve()
  const hers = await turn(pool, 5, null, { by: 'her' })
  const gone = await turn(pool, 5, 1, { by: 'her', status: 'failed' })
  await turn(pool, 5, 1, { by: 'him', status: 'failed' })
  await pool.db.update(executions).set({ queue: 'coding', costUsd: 1 })
  await pool.db.update(sessions).set({ trashedAt: new Date() }).where(eq(sessions.id, gone.sessionId))
  expect((await tracks('', her)).tracks.map(({ sessionId }) => sessionId)).toEqual([hers.sessionId])
  expect((await tracks()).total).toBe(2)
  expect(await overview(her)).toMatchObject({ working: 1, failed: 0, failures: [], isNew: false })
  expect(await overview()).toMatchObject({ working: 1, failed: 1 })
  expect(await overview({ ...her, id: 'nobody' })).toMatchObject({ working: 0, failed: 0, isNew: true })
  expect([(await spend('', her)).costUsd, (await spend()).costUsd]).toEqual([2, 3])
  for (const path of ['/tracks', '/overview', '/usage/spend'])
    expect((await ask(path, { ...her, scopes: ['terminal'] })).status).toBe(403)
})

test.each([
  '/tracks?minutes=0',
  '/tracks?minutes=1441',
  '/tracks?minutes=many',
  '/tracks?until=yesterday',
  '/tracks?callsAfter=1',
  '/tracks?since=now',
  '/usage/spend?by=colour',
  '/usage/spend?days=0',
  '/usage/spend?timeZone=Nowhere/Land',
  '/usage/spend?timeZone=%27',
])('%s does not fit', async (path) => {
  const { ask } = await serve()
  expect((await ask(path)).status).toBe(422)
})

test('a failure is told until somebody goes on with its session', async () => {
  const { pool, overview } = await serve()
  const failed = await turn(pool, 9, 3, { status: 'timed_out' })
  await turn(pool, 3_000, 2_000, { status: 'failed' })
  await turn(pool, 9, 2)
  await turn(pool, 1, null, { status: 'queued', startedAt: null })
  const before = await overview()
  expect(before).toMatchObject({ working: 0, queued: 1, failed: 1, succeeded: 1 })
  expect(before.failures).toMatchObject([{ executionId: failed.id, status: 'timed_out', title: 'A session' }])
  await seedExecution(pool, { sessionId: failed.sessionId })
  expect(await overview()).toMatchObject({ working: 1, failed: 0, failures: [] })
})

test('what is spent is told by day, agent and task, and how much of it nobody knows', async () => {
  const { pool, spend } = await serve()
  const day = 24 * 60
  const spent = async (minutesAgo: number, row: Partial<typeof executions.$inferSelect>) => {
    const { id } = await turn(pool, minutesAgo + 1, minutesAgo)
    await change(pool, id, { queue: 'coding', ...row })
  }
  await spent(0, { usage: { inputTokens: 1_000, outputTokens: 50 }, costUsd: 0.25, agentName: 'Ada' })
  await spent(0, { usage: { inputTokens: 10, outputTokens: 5 }, agentName: 'Bob' })
  await spent(2 * day, { usage: { inputTokens: 1, outputTokens: 1 }, costUsd: 2, agentName: 'Ada' })
  await spent(50 * day, { costUsd: 100 })
  await spent(0, { queue: 'tool', agentName: 'git' })
  const byDay = await spend()
  expect(byDay).toMatchObject({ turns: 3, inputTokens: 1_011, outputTokens: 56, costUsd: 2.25, unpriced: 1 })
  expect(byDay.parts.map(({ costUsd, unpriced }) => [costUsd, unpriced])).toEqual([
    [2, 0],
    [0.25, 1],
  ])
  expect(byDay.parts.at(-1)?.day).toBe(byDay.today)
  expect((await spend('?days=1')).costUsd).toBe(0.25)
  const byAgent = await spend('?by=agent')
  expect(byAgent.parts.map(({ agentName, turns }) => [agentName, turns])).toEqual([
    ['Ada', 2],
    ['Bob', 1],
  ])
  expect((await spend('?by=task')).parts).toMatchObject([{ taskId: null, title: null, turns: 3 }])
  expect((await spend('?timeZone=Pacific/Kiritimati')).turns).toBe(3)
})
