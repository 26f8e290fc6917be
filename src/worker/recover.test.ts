import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { loadConfig } from '#config/config.ts'
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
