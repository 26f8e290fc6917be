import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { codeOf, openWithGit } from '../../test/support/git-registry.ts'
import { ada } from '../../test/support/registry.ts'
import { machines } from '#db/schema.ts'
import { newId } from '#lib/id.ts'

test('the workers say whether they are up, and how much waits for them', async () => {
  const { start, as, call, pool, addMachine, machineId } = await openWithGit()
  await start()
  await start()
  const [silent, stopped] = [newId(), newId()]
  await addMachine(silent, 'silent', 'unix:/nowhere')
  await addMachine(stopped, 'stopped', 'unix:/nowhere')
  const anHourAgo = new Date(Date.now() - 3_600_000)
  await pool.db.update(machines).set({ seenAt: anHourAgo }).where(eq(machines.id, silent))
  await pool.db.update(machines).set({ stoppedAt: anHourAgo }).where(eq(machines.id, stopped))
  const { body } = await call('GET', '/workers/status')
  expect(body.data).toMatchObject([
    { machineId, name: 'here', state: 'up', queued: 2, report: null },
    { machineId: silent, state: 'unreachable', queued: 0 },
    { machineId: stopped, state: 'stopped', queued: 0 },
  ])
  expect(codeOf(await as({ ...ada, scopes: ['run'] }, 'GET', '/workers/status'))).toEqual([403, 'forbidden'])
})
