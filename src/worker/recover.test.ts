import { eq } from 'drizzle-orm'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { loadConfig } from '#config/config.ts'
import { executions, machines, tokens } from '#db/schema.ts'
import { insertAgentToken } from '#db/tokens.ts'
import { newId } from '#lib/id.ts'
import { hashSecret } from '#lib/secret.ts'
import { seedExecution } from '../../test/support/execution-rows.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { openWithGit } from '../../test/support/git-registry.ts'
import type { Keepers } from './keepers.ts'
import { openRecovery } from './recover.ts'

test('a start that nobody will hand over again is taken up, one that waits for a yes is not', async () => {
  const { pool, handOver, machineId, start, call } = await openWithGit({ dangerLevel: 2 })
  const resumed: string[] = []
  const recovery = openRecovery({
    pool,
    handOver,
    keepers: { all: async () => [] } as unknown as Keepers, // a machine on which nothing runs
    takeOvers: { look: async () => undefined },
    log: pino({ level: 'silent' }),
    config: () => loadConfig({ env: {}, cwd: '/' }),
    machineId,
    workerId: 'worker',
    isOurs: () => false,
    drive: () => undefined,
    resume: (_, { executionId }) => void resumed.push(executionId),
    closed: new AbortController().signal,
  })
  const waiting = (await start()).body.data.id
  const lost = (await start({ confirm: true })).body.data.id
  await handOver.settle(machineId, 'tool', lost) // its worker died with it
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  await recovery.recover()
  expect(resumed).toEqual([])
  vi.setSystemTime(Date.now() + 60_000)
  await recovery.recover()
  expect(resumed).toEqual([lost])

  const [approval] = (await call('GET', `/approvals?executionId=${waiting}`)).body.data
  vi.useRealTimers()
  expect((await call('POST', `/approvals/${approval.id}`, { decision: 'granted' })).status).toBe(200)
  expect(await handOver.look(machineId, 'tool', waiting)).toMatchObject({ waits: true })
})

test('a token dies with a process that ended between two turns, and with no other', async () => {
  const pool = await freshPool()
  const [living, dead, running] = [
    await seedExecution(pool),
    await seedExecution(pool),
    await seedExecution(pool),
  ]
  const machineId = newId()
  await pool.db.insert(machines).values({ id: machineId, name: 'this', workerId: 'this', url: 'unix:this' })
  await pool.db.update(executions).set({ machineId, status: 'succeeded', endedAt: new Date() })
  await pool.db
    .update(executions)
    .set({ status: 'running', endedAt: null })
    .where(eq(executions.id, running.id))
  for (const { id: executionId, sessionId } of [living, dead, running])
    await insertAgentToken(pool.db, { id: newId(), hash: hashSecret(executionId), sessionId, executionId })
  const left = async () =>
    (await pool.db.select().from(tokens)).map(({ executionId }) => executionId).toSorted()
  const greeting = {
    executions: [],
    terminals: [],
    agents: [{ sessionId: living.sessionId, pid: 1, startedFor: living.id }],
  }
  let isSilent = true
  const keeper = {
    id: newId(),
    folder: '/nowhere',
    isAlive: () => true,
    client: { greet: () => (isSilent ? Promise.reject(new Error('busy')) : Promise.resolve(greeting)) },
  }
  const recovery = openRecovery({
    pool,
    handOver: undefined as never,
    keepers: { all: async () => [keeper], isSpare: () => true } as unknown as Keepers,
    takeOvers: { look: async () => undefined },
    log: pino({ level: 'silent' }),
    config: () => loadConfig({ env: {}, cwd: '/' }),
    machineId,
    workerId: 'worker',
    isOurs: () => true,
    drive: () => undefined,
    resume: () => undefined,
    closed: new AbortController().signal,
  })
  await recovery.recover()
  expect(await left()).toEqual([living.id, dead.id, running.id].toSorted()) // who is silent may have it
  isSilent = false
  await recovery.recover()
  expect(await left()).toEqual([living.id, running.id].toSorted())
})
