import { expect, test } from 'vitest'
import { leaseOf, takeLease } from '#db/leases.ts'
import { openDriven } from '../../../test/support/chat/driven.ts'
import { startChat } from './start-chat.ts'

async function open() {
  const box = await openDriven({ steps: [{ text: 'Hello.' }] })
  const { id, sessionId } = await box.say('Hi')
  const { machineId } = await box.row(id)
  const needs = {
    pool: box.pool,
    config: () => box.config,
    machineId,
    workerId: 'here',
    chat: box.worker().chat,
  }
  const start = () => startChat(needs, { executionId: id, sessionId })
  return { box, id, machineId, needs, start }
}

test('a turn begins once, with what it needs', async () => {
  const { box, id, start } = await open()
  const [first, second] = await Promise.all([start(), start()])
  const began = [first, second].filter(({ outcome }) => outcome === 'chats')
  const taken = await Promise.all(began.map(async (one) => 'ready' in one && one.ready.taken))
  expect(taken.filter(Boolean)).toHaveLength(1)
  expect(await box.row(id)).toMatchObject({ status: 'running', leaseEpoch: 1 })
})

test('one that has begun is left to whoever drives it, and no model is asked', async () => {
  const { id, machineId, box, start } = await open()
  await box.pool.transaction((tx) => takeLease(tx, id, machineId, 'another'))
  await box.pool.db.$client.query("update executions set status = 'running' where id = $1", [id])
  expect(await start()).toEqual({ outcome: 'settled' })
  expect(leaseOf(await box.row(id)).epoch).toBe(1)
})

test('one whose agent may not be asked any more ends, and says why', async () => {
  const { id, box, start } = await open()
  await box.pool.db.$client.query('update agents set active = false')
  expect(await start()).toEqual({ outcome: 'settled' })
  expect(await box.row(id)).toMatchObject({ status: 'failed', error: expect.stringMatching(/deactivated/) })
})

test('without what it asks models with, it is tried again', async () => {
  const { needs, id, box } = await open()
  const broken = { ...needs, chat: () => Promise.reject(new Error('no such module')) }
  expect(await startChat(broken, { executionId: id })).toEqual({
    outcome: 'failed',
    reason: 'no such module',
  })
  expect(await box.row(id)).toMatchObject({ status: 'queued' })
})
